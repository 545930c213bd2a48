import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul set`.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change options of downloads, or settings of the daemon.",
        discussion: "Without a change, the settings of the daemon are shown.")

    @OptionGroup var selection: SelectionOptions
    @Option(
        parsing: .unconditional,
        help: OptionHelp.priority)
    var priority: String?
    @Option(
        help: ArgumentHelp(
            "Maximum speed of each download, in bytes per second, such as 500K; none removes it.", valueName: "rate"))
    var limitRate: String?
    @Option(
        help: ArgumentHelp(
            "New URL of the same file, for an expired link. One download only. At another host, user, token and headers are dropped.",
            valueName: "url"))
    var url: String?
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: ArgumentHelp(
            "Header to send, 'Name: value', instead of the present ones; may be repeated.", valueName: "header"))
    var headers: [String] = []
    @Option(help: ArgumentHelp("Daemon: number of downloads at a time, or none for no limit.", valueName: "n"))
    var jobs: String?
    @Option(
        help: ArgumentHelp("Daemon: number of downloads from one host at a time, or none for no limit.", valueName: "n")
    )
    var jobsPerHost: String?
    @Option(
        help: ArgumentHelp(
            "Daemon: which download starts first, fifo (the oldest) or lifo (the newest).", valueName: "order"),
        completion: .list(QueueOrder.allCases.map(\.rawValue)))
    var order: String?
    @Flag(help: "Daemon: restore the settings of the configuration.") var reset = false
    @Flag(help: OptionHelp.json) var json = false

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
