import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul cancel`.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel downloads; they stay in the list and `haul retry` resumes them.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Delete the partial files.") var deletePartial = false
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        let keeps = !deletePartial
        var action = ActionRequest(.cancel)
        action.keepPartial = keeps
        try await VerbRun(past: "cancelled", action: action) { (client, id) throws(DownloadError) in
            try await client.cancel(id, keepPartial: keeps)
        }
        .run(selection, json: json)
    }
}
