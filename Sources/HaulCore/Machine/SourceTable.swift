/// The sources of one download: the primary one, the one in focus, and the state of each host.
///
/// The primary source is the one whose response defines the file; the others are compared with it. The focus is the
/// source that the current event concerns.
struct SourceTable: Hashable, Sendable {
    private var all: [Source]
    /// Their hosts, each once; `Source.hostNumber` is an index in this list.
    var hosts: [SourceHost] = []
    private let limit: ConnectionLimit
    /// The source that defines the file.
    var primary = 0
    /// The source that the current event concerns.
    var focus = 0
    /// The sources that are still to be tried one by one, because no checksum matched with several; nil if they are
    /// used together.
    var solo: [Int]?
    /// The contributors of the file's bytes.
    var ledger = SourceLedger()
    /// Ranges that were corrupt, and their sources: other sources are preferred for them.
    var suspects: [Suspect] = []

    /// A range that was corrupt.
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

    /// Adds a source, unless it exists.
    ///
    /// - Parameter isLinked: True if a server named it, and not the caller.
    mutating func add(_ url: SourceURL, priority: Int, isLinked: Bool = false) {
        guard !all.contains(where: { $0.home == url }) else { return }
        let number = hosts.firstIndex { $0.origin == url.origin } ?? hosts.count
        if number == hosts.count {
            hosts.append(SourceHost(origin: url.origin, governor: ConnectionGovernor(limit)))
        }
        all.append(Source(url, priority: priority, isLinked: isLinked, hostNumber: number))
    }

    /// True if there is only one source: then none is chosen, compared or excluded.
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

    /// The governor of a source's host.
    subscript(governorOf id: Int) -> ConnectionGovernor {
        get { hosts[all[id].hostNumber].governor }
        set { hosts[all[id].hostNumber].governor = newValue }
    }

    /// The number of the primary source's host, and the time before which the primary source is not used.
    var primaryHost: Int { all[primary].hostNumber }
    var primaryNotBefore: Duration { all[primary].notBefore }

    /// Returns true if a source may be used at all.
    func isUsable(_ id: Int) -> Bool {
        all[id].exclusion == nil && (solo.map { $0.first == id } ?? true)
    }

    /// The sources that may be used, in order of preference.
    var usable: [Int] {
        ids.filter(isUsable).sorted { (all[$0].priority, $0) < (all[$1].priority, $1) }
    }

    /// Those of them that may define the file.
    var primaries: [Int] { usable.filter { !all[$0].isLinked } }

    /// True if another source could replace the one in focus.
    var hasAlternative: Bool {
        if let solo { return solo.count > 1 }
        return ids.contains { $0 != focus && all[$0].exclusion == nil }
    }

    /// Excludes a source.
    mutating func exclude(_ id: Int, _ error: DownloadError, _ scope: Source.Exclusion.Scope = .lasting) {
        all[id].exclusion = Source.Exclusion(error: error, scope: scope)
        solo?.removeAll { $0 == id }
    }

    /// Readmits the sources that only disagreed with the others.
    mutating func readmit() {
        for id in ids where all[id].exclusion?.scope == .disagreement { all[id].exclusion = nil }
    }

    /// Readmits the sources that were less useful than others.
    ///
    /// - Returns: True if one of them can only deliver the whole file.
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

    /// Forgets the version of the file: the next response defines it.
    mutating func forget() {
        for id in ids {
            all[id].version = nil
            all[id].isTrusted = false
            all[id].consensus = Consensus()
        }
        ledger = SourceLedger()
        suspects = []
    }

    /// The reason why a download without usable sources failed: the main source's error, if it has one.
    var failure: DownloadError? {
        all[0].exclusion?.error ?? all.compactMap { $0.exclusion?.error }.first
    }
}
