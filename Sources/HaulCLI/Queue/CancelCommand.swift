import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul cancel`.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End downloads for good; they stay in the list, and haul retry goes on.")

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Delete what is there of the files, too.") var deletePartial = false
    @Flag(help: "Write JSON lines.") var json = false

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
