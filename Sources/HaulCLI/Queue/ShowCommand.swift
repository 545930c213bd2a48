import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all that is known of downloads, and what limits those that run.")

    @Argument(help: ArgumentHelp("Downloads by number, as haul list shows them.", valueName: "id"))
    var ids: [String]
    @Flag(help: "Write a JSON line for each.") var json = false
    @Flag(help: "Show the values in the queries of URLs, which may be secrets.") var showSecrets = false

    func run() async throws {
        var options = try SelectionOptions.parse([])
        options.ids = ids
        guard case .ids(let ids) = try options.selection(isNeeded: true) else { return }
        let (json, showsSecrets) = (json, showSecrets)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            for (index, id) in ids.enumerated() {
                do throws(DownloadError) {
                    let download = try await client.show(id)
                    guard !json else {
                        try outcome.write(download, showsSecrets: showsSecrets)
                        continue
                    }
                    let explanation = download.state == .running ? try? await client.explanation(id) : nil
                    if index > 0 { outcome.say("") }
                    for line in ShowText.lines(showsSecrets ? download : download.redacted, explanation) {
                        outcome.say(line)
                    }
                } catch {
                    guard error.code != .connectionFailed else { throw error }
                    if json { try outcome.write(QueueOutcome.Failure(id: id, error: error)) }
                    outcome.fail(error)
                }
            }
        }
    }
}
