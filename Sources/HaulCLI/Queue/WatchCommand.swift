import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show live progress until all downloads are done.",
        discussion: """
            Ctrl-C ends only the display; the downloads continue. Exit code 0 if all that
            ended are complete; a download given by its number is reported even if it ended
            before. With --json, each line on standard output is an event.
            """)

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Keep running when all downloads are done.") var follow = false
    @Flag(name: .shortAndLong, help: OptionHelp.quiet) var quiet = false
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        let selection = try selection.selection()
        let (follow, quiet, json) = (follow, quiet, json)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            var filter = selection.filter
            if case .ids(let ids) = selection {
                let found = try await Self.existing(ids, client, &outcome)
                guard !found.isEmpty else { return }
                filter.ids = found
            }
            let isNamed = filter.ids != nil
            let code = try await WatchRun(
                client, filter, endsIncluded: isNamed, follows: follow, quiet: quiet, json: json
            ).run()
            if code != .complete { outcome.note(code) }
        }
    }

    /// Returns those of the downloads that are in the list; the others are reported as failures.
    private static func existing(
        _ ids: [DownloadID], _ client: DaemonClient, _ outcome: inout QueueOutcome
    ) async throws(DownloadError) -> [DownloadID] {
        var (found, rest): ([DownloadID], ArraySlice<DownloadID>) = ([], ids[...])
        var missing = FailureGroups()
        while !rest.isEmpty {
            var filter = FilterMessage()
            filter.ids = Array(rest.prefix(1000))
            let known = Set(try await client.list(filter, limit: 1000).downloads.map(\.id))
            for id in rest.prefix(1000) {
                if known.contains(id) { found.append(id) } else { missing.addMissing(id) }
            }
            rest = rest.dropFirst(1000)
        }
        outcome.fail(missing)
        return found
    }
}
