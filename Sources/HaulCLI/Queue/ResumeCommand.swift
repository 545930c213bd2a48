import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul resume`.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let paused downloads go on, when their turn comes.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Start them at once, beyond the limits.") var now = false
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        let now = now
        try await VerbRun(past: "resumed", action: ActionRequest(now ? .start : .resume)) {
            (client, id) throws(DownloadError) in
            if now { try await client.start(id) } else { try await client.resume(id) }
        }
        .run(selection, json: json)
    }
}
