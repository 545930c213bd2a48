import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Watch the daemon's downloads live, until none of them has anything to do.",
        discussion: """
            Ctrl-C ends the watching, not the downloads. Ends with 0 where all that ended
            are complete. With --json, each line on standard output is an event.
            """)

    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Go on when none has anything to do.") var follow = false
    @Flag(name: .shortAndLong, help: "Show only errors.") var quiet = false
    @Flag(help: "Write events as JSON lines to standard output.") var json = false

    func run() async throws {
        let filter = try selection.selection().filter
        let (follow, quiet, json) = (follow, quiet, json)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            let code = try await WatchRun(client, filter, follows: follow, quiet: quiet, json: json).run()
            if code != .complete { outcome.note(code) }
        }
    }
}
