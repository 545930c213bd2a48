import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul retry`.
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry failed or cancelled downloads, or download finished ones again.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Delete the partial file, and start over.") var fromStart = false
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        let fromStart = fromStart
        var action = ActionRequest(.retry)
        action.fromStart = fromStart
        try await VerbRun(past: "retrying", action: action) { (client, id) throws(DownloadError) in
            try await client.retry(id, fromStart: fromStart)
        }
        .run(selection, json: json)
    }
}
