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
                let found = try await outcome.existing(ids, client)
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
}
