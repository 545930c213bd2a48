import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul retry`.
struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try downloads again that failed, were cancelled, or are wanted anew.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Throw away what is there, and begin anew.") var fromStart = false
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        let fromStart = fromStart
        var action = ActionRequest(.retry)
        action.fromStart = fromStart
        try await VerbRun(past: "tried again:", action: action) { (client, id) throws(DownloadError) in
            try await client.retry(id, fromStart: fromStart)
        }
        .run(selection, json: json)
    }
}
