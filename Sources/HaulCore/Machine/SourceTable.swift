/// The sources of one download: which one leads, which one is spoken of, and what each host grants.
///
/// The lead is the source whose answer says what the file is; the others are measured against it. The focus is the source that
/// the event at hand speaks of.
struct SourceTable: Hashable, Sendable {
    private var all: [Source]
    /// Their hosts, each once; `Source.hostNumber` is a place in it.
    var hosts: [SourceHost] = []
    private let limit: ConnectionLimit
    /// The source that says what the file is.
    var primary = 0
    /// The source that the machine speaks of just now.
    var focus = 0
    /// The sources that are still tried one by one, since no checksum came out right with several; nil: all together.
    var solo: [Int]?
    /// Who brought what.
    var ledger = SourceLedger()
    /// Bytes that turned out bad, and who brought them: others are asked for them first.
    var suspects: [Suspect] = []

    /// Bytes that turned out bad.
    struct Suspect: Hashable, Sendable {
        var range: ByteRange
        var source: Int
    }

    init(_ configuration: MachineConfiguration) {
        limit = configuration.connections
        all = []
        add(configuration.url, priority: 1)
        for mirror in configuration.mirrors { add(mirror.url, priority: mirror.priority) }
    }

    /// Adds a source, unless it is there already.
    ///
    /// - Parameter isLinked: Whether a server named it, and not the caller.
    mutating func add(_ url: SourceURL, priority: Int, isLinked: Bool = false) {
        guard !all.contains(where: { $0.home == url }) else { return }
        let number = hosts.firstIndex { $0.origin == url.origin } ?? hosts.count
        if number == hosts.count {
            hosts.append(SourceHost(origin: url.origin, governor: ConnectionGovernor(limit)))
        }
        all.append(Source(url, priority: priority, isLinked: isLinked, hostNumber: number))
    }

    /// Whether there is but one: then nothing is chosen, compared or left out.
    var isSingle: Bool { all.count == 1 }

    /// The ids of all sources, the main one first.
    var ids: Range<Int> { all.indices }

    subscript(id: Int) -> Source {
        get { all[id] }
        set { all[id] = newValue }
    }

    /// The source in focus.
    var current: Source {
        get { all[focus] }
        set { all[focus] = newValue }
    }

    /// What the host of a source grants.
    subscript(governorOf id: Int) -> ConnectionGovernor {
        get { hosts[all[id].hostNumber].governor }
        set { hosts[all[id].hostNumber].governor = newValue }
    }

    /// The host of the lead, and before when the lead is not asked.
    var primaryHost: Int { all[primary].hostNumber }
    var primaryNotBefore: Duration { all[primary].notBefore }

    /// Whether a source may be asked at all.
    func isUsable(_ id: Int) -> Bool {
        all[id].exclusion == nil && (solo.map { $0.first == id } ?? true)
    }

    /// The sources that may be asked, in the order in which they are asked.
    var usable: [Int] {
        ids.filter(isUsable).sorted { (all[$0].priority, $0) < (all[$1].priority, $1) }
    }

    /// Those of them that may say what the file is.
    var primaries: [Int] { usable.filter { !all[$0].isLinked } }

    /// Whether another source could do what the one in focus does not.
    var hasAlternative: Bool {
        if let solo { return solo.count > 1 }
        return ids.contains { $0 != focus && all[$0].exclusion == nil }
    }

    /// Leaves a source out.
    mutating func exclude(_ id: Int, _ error: DownloadError, _ scope: Source.Exclusion.Scope = .lasting) {
        all[id].exclusion = Source.Exclusion(error: error, scope: scope)
        solo?.removeAll { $0 == id }
    }

    /// Lets those come back that only disagreed with what the others said.
    mutating func readmit() {
        for id in ids where all[id].exclusion?.scope == .disagreement { all[id].exclusion = nil }
    }

    /// Lets those come back that were of less use than others.
    ///
    /// - Returns: whether one of them can only bring the whole file.
    @discardableResult
    mutating func readmitLast() -> Bool {
        var hasWhole = false
        for id in ids {
            switch all[id].exclusion?.scope {
            case .parts: (all[id].usesRanges, hasWhole) = (false, true)
            case .breaks: all[id].failures = 0
            case nil, .disagreement, .lasting: continue
            }
            all[id].exclusion = nil
        }
        return hasWhole
    }

    /// Forgets what the file is: the next answer says it.
    mutating func forget() {
        for id in ids {
            all[id].version = nil
            all[id].isTrusted = false
            all[id].consensus = Consensus()
        }
        ledger = SourceLedger()
        suspects = []
    }

    /// Why a download without usable sources failed: what was wrong with the main one, if anything was.
    var failure: DownloadError? {
        all[0].exclusion?.error ?? all.compactMap { $0.exclusion?.error }.first
    }
}
