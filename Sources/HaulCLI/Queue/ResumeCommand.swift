import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul resume`.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume paused downloads.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: OptionHelp.now) var now = false
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        let now = now
        try await VerbRun(past: "resumed", action: ActionRequest(now ? .start : .resume)) {
            (client, id) throws(DownloadError) in
            if now { try await client.start(id) } else { try await client.resume(id) }
        }
        .run(selection, json: json)
    }
}
