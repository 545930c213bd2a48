import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul move`.
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a download to another place in the list.",
        discussion: "Of those with the same priority the first in the list starts first.")

    @Argument(help: ArgumentHelp("The download, by number.", valueName: "id")) var id: String
    @Argument(help: ArgumentHelp("top, bottom, or a place: 1 is the first.", valueName: "place")) var place: String
    @Flag(help: "Write a JSON line.") var json = false

    func run() async throws {
        var problems = InvalidOptions()
        let ids = problems.read("") { () throws(DownloadError) in try Selection.ids(parsing: id) }
        let index = problems.read("") { () throws(DownloadError) in try Self.index(place) }
        guard problems.messages.isEmpty, let ids, let index else { throw problems }
        let (place, json) = (place, json)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            // Of a range, the last one is moved first, so that they stand in their order.
            for id in ids.reversed() {
                let download = try await client.move(id, to: index)
                if json { try outcome.write(download) } else { outcome.say("moved \(id) to \(place)  \(download.name)") }
            }
        }
    }

    /// The place as the API counts it.
    static func index(_ text: String) throws(DownloadError) -> Int {
        switch text {
        case "top": return 0
        case "bottom": return Int(Int32.max)
        case _: return try WholeNumber.parse(text, in: 1...Int(Int32.max)) - 1
        }
    }
}

/// `haul limit`.
struct LimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Limit the rate of all downloads together, or of single ones, at once.",
        usage: "haul limit [<rate>] [<id> ...]",
        discussion: """
            A rate is bytes per second, as 500K or 2M, or none. For all together it may
            go by the time of day: "22:00-06:00 unlimited, else 2M". Without a rate the
            present limit is shown.
            """)

    @Argument(help: ArgumentHelp("The rate, or none.", valueName: "rate")) var rate: String?
    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Write JSON lines.") var json = false

    func run() async throws {
        guard let rate else { return try await SettingsShow(json: json).run() }
        var problems = InvalidOptions()
        if case .unsaid = try selection.selection() {
            let patch = problems.read("") { () throws(DownloadError) in try SettingsPatch(rate: rate) }
            guard let patch else { throw problems }
            return try await SettingsShow(json: json).run(patch)
        }
        let limit = problems.read("") { () throws(DownloadError) in
            rate == "none" ? 0 : try RateArgument(parsing: rate).bytesPerSecond
        }
        guard let limit else { throw problems }
        var action = ActionRequest(.set)
        action.rateLimit = limit
        try await VerbRun(past: "limited", action: action) { (client, id) throws(DownloadError) in
            try await client.change(id, ChangeRequest(rateLimit: limit))
        }
        .run(selection, json: json)
    }
}

extension SettingsPatch {
    /// The common limit: a rate, a schedule, or none.
    init(rate: String) throws(DownloadError) {
        self.init()
        (rateLimit, rateSchedule) = (Change<Int64>.none, Change<String>.none)
        guard rate != "none" else { return }
        let schedule = try RateSchedule(parsing: rate)
        if schedule.parts.isEmpty {
            rateLimit = Change(schedule.otherwise)
        } else {
            rateSchedule = Change(schedule.description)
        }
    }
}

/// Shows the daemon's settings, changed before or not.
struct SettingsShow: Sendable {
    let json: Bool

    func run(_ patch: SettingsPatch? = nil, resets: Bool = false) async throws {
        let json = json
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            if resets { _ = try await client.resetSettings() }
            let settings = if let patch { try await client.change(patch) } else { try await client.settings() }
            guard !json else { return try outcome.write(settings) }
            for line in Self.lines(settings) { outcome.say(line) }
        }
    }

    /// A setting a line.
    static func lines(_ settings: SettingsMessage) -> [String] {
        func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "no limit" }
        let rate = settings.rateSchedule ?? settings.rateLimit.map { RowText.speed(Double($0)) } ?? "no limit"
        return [
            "rate:      \(rate)", "at once:   \(number(settings.concurrentDownloads))",
            "per host:  \(number(settings.downloadsPerHost))", "order:     \(settings.order.rawValue)",
        ]
    }
}

/// `haul set`.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change options of downloads, or settings of the daemon.",
        discussion: "Without anything to change, the daemon's settings are shown.")

    @OptionGroup var selection: SelectionOptions
    @Option(parsing: .unconditional, help: ArgumentHelp("Which starts first: -1000 to 1000, the higher one.", valueName: "n"))
    var priority: String?
    @Option(help: ArgumentHelp("Bytes per second of these downloads, as 500K; none takes it away.", valueName: "rate"))
    var limitRate: String?
    @Option(help: ArgumentHelp("Another URL of the same file, for a link that has expired; one download.", valueName: "url"))
    var url: String?
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: ArgumentHelp("With --url, or alone: the headers from now on; again for more.", valueName: "header"))
    var headers: [String] = []
    @Option(help: ArgumentHelp("The daemon: how many are at work at once; none: no limit.", valueName: "n"))
    var jobs: String?
    @Option(help: ArgumentHelp("The daemon: how many of one host at once; none: no limit.", valueName: "n"))
    var jobsPerHost: String?
    @Option(help: ArgumentHelp("The daemon: fifo, or lifo, the newest first.", valueName: "order")) var order: String?
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

/// What `haul set` is to change, all of it checked.
struct SetPlan: Hashable, Sendable {
    /// One of both.
    enum Change: Hashable, Sendable {
        /// The daemon's settings; nil: they are only shown.
        case settings(SettingsPatch?)
        /// Options of downloads, and their source.
        case downloads(ChangeRequest, SourceRequest?)
    }

    /// What is changed.
    let change: Change

    /// Checks the options.
    init(_ command: SetCommand) throws(InvalidOptions) {
        var problems = InvalidOptions()
        let (change, source) = Self.downloads(command, &problems)
        let patch = Self.settings(command, &problems)
        let selection = try command.selection.selection()
        if case .unsaid = selection, change != ChangeRequest() || source != nil {
            problems.add("say which downloads: their numbers, --all, --state, --group, --tag or --search")
        }
        if selection != .unsaid, patch != SettingsPatch() || command.reset {
            problems.add("--jobs, --jobs-per-host, --order and --reset are the daemon's: leave the downloads out")
        }
        if selection != .unsaid, change == ChangeRequest(), source == nil {
            problems.add("say what is to be changed: --priority, --limit-rate, --url or --header")
        }
        if source != nil {
            if case .ids(let ids) = selection, ids.count == 1 {} else {
                problems.add("--url and --header are of one download: name it by its number")
            }
        }
        guard problems.messages.isEmpty else { throw problems }
        self.change =
            selection == .unsaid ? .settings(patch == SettingsPatch() ? nil : patch) : .downloads(change, source)
    }

    private static func downloads(
        _ command: SetCommand, _ problems: inout InvalidOptions
    ) -> (ChangeRequest, SourceRequest?) {
        var change = ChangeRequest()
        change.priority = command.priority.flatMap { text in
            problems.read("--priority") { () throws(DownloadError) in try PriorityArgument.parse(text) }
        }
        change.rateLimit = command.limitRate.flatMap { text in
            problems.read("--limit-rate") { () throws(DownloadError) in
                text == "none" ? 0 : try RateArgument(parsing: text).bytesPerSecond
            }
        }
        guard command.url != nil || !command.headers.isEmpty else { return (change, nil) }
        var source = SourceRequest()
        source.url = command.url
        for text in command.headers {
            let header = problems.read("--header") { () throws(DownloadError) in try HeaderArgument(parsing: text).header }
            if let header { source.headers = (source.headers ?? []) + [header] }
        }
        return (change, source)
    }

    private static func settings(_ command: SetCommand, _ problems: inout InvalidOptions) -> SettingsPatch {
        var patch = SettingsPatch()
        func count(_ text: String?, _ name: String, from least: Int) -> SettingsPatch.Change<Int>? {
            guard let text else { return nil }
            guard text != "none" else { return SettingsPatch.Change<Int>.none }
            return problems.read(name) { () throws(DownloadError) in try WholeNumber.parse(text, in: least...10_000) }
                .map { SettingsPatch.Change($0) }
        }
        patch.concurrentDownloads = count(command.jobs, "--jobs", from: 0)
        patch.downloadsPerHost = count(command.jobsPerHost, "--jobs-per-host", from: 1)
        patch.order = command.order.flatMap { text in
            problems.read("--order") { () throws(DownloadError) in try ChoiceArgument.parse(text, as: QueueOrder.self) }
        }
        return patch
    }
}

/// The value of `--priority`.
enum PriorityArgument {
    /// Reads it.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    static func parse(_ text: String) throws(DownloadError) -> Int {
        let isNegative = text.hasPrefix("-")
        guard let number = WholeNumber.parse(isNegative ? text.dropFirst() : text[...]), number <= 1000 else {
            throw DownloadError(.invalidRequest, "\"\(TerminalText.fitted(text, width: 40))\" does not do: write a number from -1000 to 1000")
        }
        return isNegative ? -number : number
    }
}
