import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul pause`.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause downloads, and keep their partial files.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        try await VerbRun(past: "paused", action: ActionRequest(.pause)) { (client, id) throws(DownloadError) in
            try await client.pause(id)
        }
        .run(selection, json: json)
    }
}
