import ArgumentParser
import HaulClient
import HaulCore
import HaulOptions
import HaulWire

/// The changes that `haul set` makes, with all options checked.
struct SetPlan: Hashable, Sendable {
    /// One of two kinds of changes.
    enum Change: Hashable, Sendable {
        /// Settings of the daemon; nil to show them only.
        case settings(SettingsPatch?)
        /// Options of downloads, and their source.
        case downloads(ChangeRequest, SourceRequest?)
    }

    /// The change.
    let change: Change

    /// Checks the options.
    init(_ command: SetCommand) throws(InvalidOptions) {
        var problems = InvalidOptions()
        let (change, source) = Self.downloads(command, &problems)
        let patch = Self.settings(command, &problems)
        let selection = try command.selection.selection()
        if case .unsaid = selection, change != ChangeRequest() || source != nil {
            problems.add("select downloads: give numbers, --all, --state, --group, --tag, --code, --host or --search")
        }
        if selection != .unsaid, patch != SettingsPatch() || command.reset {
            problems.add("--jobs, --jobs-per-host, --order and --reset apply to the daemon, not to single downloads")
        }
        // Options that could not be read are already reported.
        if problems.messages.isEmpty, selection != .unsaid, change == ChangeRequest(), source == nil {
            problems.add("nothing to change: give --priority, --limit-rate, --url or --header")
        }
        if source != nil {
            if case .ids(let ids) = selection, ids.count == 1 {
            } else {
                problems.add("--url and --header are for one download: give its number")
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
            let header = problems.read("--header") { () throws(DownloadError) in
                try HeaderArgument(parsing: text).header
            }
            if let header { source.headers = (source.headers ?? []) + [header] }
        }
        return (change, source)
    }

    private static func settings(_ command: SetCommand, _ problems: inout InvalidOptions) -> SettingsPatch {
        var patch = SettingsPatch()
        func count(_ text: String?, _ name: String, from minimum: Int) -> SettingsPatch.Change<Int>? {
            guard let text else { return nil }
            guard text != "none" else { return SettingsPatch.Change<Int>.none }
            return problems.read(name) { () throws(DownloadError) in try WholeNumber.parse(text, in: minimum...10_000) }
                .map { SettingsPatch.Change($0) }
        }
        patch.jobs = count(command.jobs, "--jobs", from: 0)
        patch.jobsPerHost = count(command.jobsPerHost, "--jobs-per-host", from: 1)
        patch.order = command.order.flatMap { text in
            problems.read("--order") { () throws(DownloadError) in try ChoiceArgument.parse(text, as: QueueOrder.self) }
        }
        return patch
    }
}
