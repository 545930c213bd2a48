import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul pause`.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop downloads of the daemon, and keep what is there.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        try await VerbRun(past: "paused", action: ActionRequest(.pause)) { (client, id) throws(DownloadError) in
            try await client.pause(id)
        }
        .run(selection, json: json)
    }
}
