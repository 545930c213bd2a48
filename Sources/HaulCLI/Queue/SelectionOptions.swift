import ArgumentParser
import HaulCore
import HaulOptions
import HaulWire

/// The options that select downloads.
struct SelectionOptions: ParsableArguments {
    @Argument(help: OptionHelp.id)
    var ids: [String] = []

    @Flag(help: "Select all downloads.")
    var all = false

    @Option(
        name: .customLong("group"), parsing: .singleValue,
        help: ArgumentHelp("Select downloads in this group; may be repeated.", valueName: "name"))
    var groups: [String] = []

    @Option(
        name: .customLong("tag"), parsing: .singleValue,
        help: ArgumentHelp("Select downloads with this tag; may be repeated.", valueName: "name"))
    var tags: [String] = []

    @Option(
        name: .customLong("state"), parsing: .singleValue,
        help: ArgumentHelp(
            "Select waiting, running, paused, finished, failed or cancelled downloads; may be repeated.",
            valueName: "state"),
        completion: .list(DownloadState.Kind.allCases.map(\.rawValue)))
    var states: [String] = []

    @Option(
        name: .customLong("code"), parsing: .singleValue,
        help: ArgumentHelp(
            "Select downloads that failed with this code, such as notFound or timedOut; may be repeated.",
            valueName: "code"),
        completion: .list(DownloadError.Code.allCases.map(\.rawValue)))
    var codes: [String] = []

    @Option(
        name: .customLong("host"), parsing: .singleValue,
        help: ArgumentHelp("Select downloads from this host; may be repeated.", valueName: "name"))
    var hosts: [String] = []

    @Option(help: ArgumentHelp("Select downloads whose URL or path contains this text.", valueName: "text"))
    var search: String?

    /// Returns the selection.
    ///
    /// - Throws: `InvalidOptions` with a line for each invalid value.
    func selection(isNeeded: Bool = false) throws(InvalidOptions) -> Selection {
        var problems = InvalidOptions()
        var found: [DownloadID] = []
        for text in ids {
            found += problems.read("") { () throws(DownloadError) in try Selection.ids(parsing: text) } ?? []
        }
        var kinds: [DownloadState.Kind] = []
        for text in states {
            let kind = problems.read("--state") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: DownloadState.Kind.self)
            }
            if let kind { kinds.append(kind) }
        }
        var errors: [DownloadError.Code] = []
        for text in codes {
            let code = problems.read("--code") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: DownloadError.Code.self)
            }
            if let code { errors.append(code) }
        }
        for name in hosts {
            _ = problems.read("--host") { () throws(DownloadError) in try DownloadFilter.hostName(name) }
        }
        if search == "" { problems.add("--search is empty: give a text, or --all") }
        let hasConditions =
            !groups.isEmpty || !tags.isEmpty || !kinds.isEmpty || !errors.isEmpty || !hosts.isEmpty || search != nil
        if all, hasConditions || !found.isEmpty {
            problems.add("--all cannot be combined with another selection of downloads")
        }
        if isNeeded, !all, !hasConditions, ids.isEmpty {
            problems.add("select downloads: give numbers, --all, --state, --group, --tag, --code, --host or --search")
        }
        guard problems.messages.isEmpty else { throw problems }
        guard hasConditions else { return all ? .all : found.isEmpty ? .unsaid : .ids(found) }
        var filter = FilterMessage()
        filter.ids = found.isEmpty ? nil : found
        filter.groups = groups.isEmpty ? nil : groups
        filter.tags = tags.isEmpty ? nil : tags
        filter.states = kinds.isEmpty ? nil : kinds
        filter.codes = errors.isEmpty ? nil : errors
        filter.hosts = hosts.isEmpty ? nil : hosts
        filter.search = search
        return .filter(filter)
    }
}
