import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all details of downloads, and what limits running ones.")

    @Argument(help: ArgumentHelp("Download number, as in haul list.", valueName: "id"))
    var ids: [String]
    @Flag(help: OptionHelp.json) var json = false
    @Flag(help: OptionHelp.showSecrets) var showSecrets = false

    func run() async throws {
        var options = try SelectionOptions.parse([])
        options.ids = ids
        guard case .ids(let ids) = try options.selection(isNeeded: true) else { return }
        let (json, showsSecrets) = (json, showSecrets)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            var failures = FailureGroups()
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
                    failures.add(id, error)
                }
            }
            outcome.fail(failures)
        }
    }
}
