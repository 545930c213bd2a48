import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul set`.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change options of downloads, or settings of the daemon.",
        discussion: "Without anything to change, the daemon's settings are shown.")

    @OptionGroup var selection: SelectionOptions
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Which starts first: -1000 to 1000, the higher one.", valueName: "n"))
    var priority: String?
    @Option(help: ArgumentHelp("Bytes per second of these downloads, as 500K; none takes it away.", valueName: "rate"))
    var limitRate: String?
    @Option(
        help: ArgumentHelp(
            "Another URL of the same file, for a link that has expired; one download. "
                + "At another host, user, token and headers are dropped.", valueName: "url")
    )
    var url: String?
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: ArgumentHelp("With --url, or alone: the headers from now on; again for more.", valueName: "header"))
    var headers: [String] = []
    @Option(help: ArgumentHelp("The daemon: how many are at work at once; none: no limit.", valueName: "n"))
    var jobs: String?
    @Option(help: ArgumentHelp("The daemon: how many of one host at once; none: no limit.", valueName: "n"))
    var jobsPerHost: String?
    @Option(
        help: ArgumentHelp("The daemon: fifo, or lifo, the newest first.", valueName: "order"),
        completion: .list(QueueOrder.allCases.map(\.rawValue)))
    var order: String?
    @Flag(help: "The daemon: go back to its configuration.") var reset = false
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        let plan = try SetPlan(self)
        switch plan.change {
        case .settings(let patch): try await SettingsShow(json: json).run(patch, resets: reset)
        case .downloads(let change, nil):
            var action = ActionRequest(.set)
            (action.priority, action.rateLimit) = (change.priority, change.rateLimit)
            try await VerbRun(past: "changed", action: action) { (client, id) throws(DownloadError) in
                try await client.change(id, change)
            }
            .run(selection, json: json)
        case .downloads(let change, let source?):
            try await VerbRun(past: "changed", action: ActionRequest(.set)) { (client, id) throws(DownloadError) in
                if change != ChangeRequest() { _ = try await client.change(id, change) }
                return try await client.replaceSource(id, source)
            }
            .run(selection, json: json)
        }
    }
}
