/// The sources of one download, the state of their hosts, and the record of which source delivered which bytes.
///
/// The primary source is the one whose response defines the file; the others are compared with it. A pool of one source
/// follows the same rules as a larger one, except where `mayMix` is asked.
struct SourcePool: Hashable, Sendable {
    private var all: [Source]
    /// Their hosts, each once; `Source.hostNumber` is an index in this list.
    var hosts: [SourceHost] = []
    /// The division of the connections among them.
    var shares: HostShares
    private let limit: ConnectionLimit
    /// The source that defines the file.
    var primary = SourceID.main
    /// The source whose response defined the version that is being fetched, also if another one has become primary.
    var definer = SourceID.main
    /// The kind of source that has shown in this run that there are several versions of the file; nil if none has.
    private(set) var change: Change?
    /// The source that described bytes of an earlier run, until it responds; nil if there are none, or something else
    /// proves them.
    private(set) var unconfirmed: SourceID?
    /// The sources that are still to be tried one by one, because no checksum matched with several; nil if they are
    /// used together.
    var solo: [SourceID]?
    /// The contributors of the file's bytes.
    var ledger = SourceLedger()
    /// Ranges that were corrupt, and their sources: other sources are preferred for them.
    var suspects: [Suspect] = []

    /// A range that was corrupt.
    struct Suspect: Hashable, Sendable {
        var range: ByteRange
        var source: SourceID
    }

    /// A source that contradicted what it had said before.
    enum Change: Hashable, Sendable {
        /// The main source: it has replaced the file, and the others may follow.
        case byMain
        /// Another source, which had defined the version: nobody knows which version the others have.
        case byMirror
    }

    init(_ configuration: MachineConfiguration) {
        limit = configuration.transfer.connections
        shares = HostShares(total: configuration.transfer.connections.maximum)
        all = []
        add(configuration.url, priority: 1)
        // A part of the response to another method is a response of its own.
        if !configuration.form.isGet { all[0].usesRanges = false }
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

    /// True if bytes of several sources may be joined in the file.
    ///
    /// Then the validators of one source say nothing about the bytes of another: the journal records that the sources
    /// were compared or that a checksum decides, and wrong bytes may be anybody's. The bytes of a lone source are
    /// compared with its own validators, however often it has to start over.
    var mayMix: Bool { all.count > 1 }

    /// The ids of all sources, the main one first.
    var ids: [SourceID] { all.indices.map { SourceID($0) } }

    subscript(id: SourceID) -> Source {
        get { all[id.index] }
        set { all[id.index] = newValue }
    }

    /// The governor of a source's host.
    subscript(governorOf id: SourceID) -> ConnectionGovernor {
        get { hosts[self[id].hostNumber].governor }
        set { hosts[self[id].hostNumber].governor = newValue }
    }

    /// The quota that a source's host grants.
    func quota(of id: SourceID) -> ConnectionQuota { hosts[self[id].hostNumber].quota }

    /// The number of the primary source's host, and the time before which the primary source is not used.
    var primaryHost: Int { self[primary].hostNumber }
    var primaryNotBefore: Duration { self[primary].notBefore }

    /// Returns the source that described a partial file; nil if this download does not have it.
    func describer(of version: KnownVersion) -> SourceID? {
        switch version.describer {
        case .main: .main
        case .mirror(let url): ids.first { self[$0].home == url }
        case .formerURL, .unknown: nil
        }
    }

    /// Returns true if a source may be used at all.
    func isUsable(_ id: SourceID) -> Bool {
        self[id].exclusion == nil && (solo.map { $0.first == id } ?? true)
    }

    /// The sources that may be used, in order of preference.
    var usable: [SourceID] {
        ids.filter(isUsable).sorted { (self[$0].priority, $0) < (self[$1].priority, $1) }
    }

    /// Those of them that may define the file.
    var primaries: [SourceID] { usable.filter { !self[$0].isLinked } }

    /// Returns true if another source could replace this one.
    func hasAlternative(to id: SourceID) -> Bool {
        if let solo { return solo.count > 1 }
        return ids.contains { $0 != id && self[$0].exclusion == nil }
    }

    /// Excludes a source.
    mutating func exclude(_ id: SourceID, _ error: DownloadError, _ scope: Source.Exclusion.Scope = .lasting) {
        self[id].exclusion = Source.Exclusion(error: error, scope: scope)
        solo?.removeAll { $0 == id }
    }

    /// Readmits the sources that only disagreed with the others, or with existing bytes, and the main source if it only
    /// lacks ranges: it decides what the file is, and can deliver all of it.
    mutating func readmit() {
        if self[.main].exclusion?.scope == .parts { (self[.main].usesRanges, self[.main].exclusion) = (false, nil) }
        for id in ids where [.disagreement, .unconfirmed].contains(self[id].exclusion?.scope) {
            self[id].exclusion = nil
        }
    }

    /// Leaves the sources that disagree out for as long as there are others.
    mutating func leaveOutDisagreeing() {
        for id in ids where self[id].exclusion?.scope == .disagreement { self[id].exclusion?.scope = .parts }
    }

    /// Readmits the sources that were less useful than others.
    ///
    /// - Returns: True if they must start again: one of them can only deliver the whole file, or nothing confirms the
    ///   version of the existing bytes.
    @discardableResult
    mutating func readmitLast() -> Bool {
        var mustRestart = false
        for id in ids {
            switch self[id].exclusion?.scope {
            case .parts: (self[id].usesRanges, mustRestart) = (false, true)
            case .breaks: self[id].failures = 0
            case nil, .disagreement, .unconfirmed, .lasting: continue
            }
            self[id].exclusion = nil
        }
        guard usable.isEmpty else { return mustRestart }
        for id in ids where self[id].exclusion?.scope == .unconfirmed {
            (self[id].exclusion, mustRestart) = (nil, true)
        }
        return mustRestart
    }

    /// Expects the source that described the bytes of an earlier run to confirm their version.
    mutating func expectConfirmation(by id: SourceID) { unconfirmed = id }

    /// Records a response of the known version: if it confirms the bytes of an earlier run, all sources may be used.
    mutating func confirm(by id: SourceID) {
        guard unconfirmed == id else { return }
        unconfirmed = nil
        for id in ids where self[id].exclusion?.scope == .unconfirmed { self[id].exclusion = nil }
    }

    /// Returns true if a source's word is final: what it has now is the file, whatever it and the others had before.
    func decides(_ id: SourceID) -> Bool { self[id].version != nil && (id == .main || id == definer) }

    /// Records that a source that decides has another version than before.
    mutating func noteChange(by id: SourceID) {
        guard id == .main else { return change = .byMirror }
        for other in ids where other != id && self[other].isTrusted {
            self[other].outdated = self[other].version?.validators
        }
        if change == nil { change = .byMain }
    }

    /// Returns true if a source may have another version than the one that is being fetched, although it has not
    /// contradicted itself: since there are several, equal bytes in one place prove too little.
    func mayBeOfOtherVersion(_ id: SourceID, _ validators: Validators) -> Bool {
        guard let change, id != primary, id != definer, self[id].version == nil, let version = self[definer].version
        else { return false }
        if change == .byMain, let outdated = self[id].outdated, outdated.hasAny {
            return outdated.agreement(with: validators) != .different
        }
        return !version.validators.vouch(for: validators)
    }

    /// Forgets the version of the file: the next response defines it.
    mutating func forget() {
        for id in ids {
            self[id].version = nil
            self[id].isTrusted = false
            self[id].consensus = Consensus()
        }
        ledger = SourceLedger()
        suspects = []
        unconfirmed = nil
    }

    /// The reason why a download without usable sources failed: the main source's error, if it has one.
    var failure: DownloadError? {
        all[0].exclusion?.error ?? all.compactMap { $0.exclusion?.error }.first
    }
}

/// One host of a download's sources: the useful number of connections, and the quota it grants beside other downloads.
struct SourceHost: Hashable, Sendable {
    /// Scheme, host and port.
    let origin: URLOrigin
    /// Determines the number of connections that this download makes good use of.
    var governor: ConnectionGovernor
    /// The quota that the host last granted to this download.
    var quota = ConnectionQuota()
    /// The use that was last reported to it.
    var reported = HostUse()
    /// The optimum number of connections that was last reported.
    var reportedOptimum: Int?
    /// The end of the wait for a connection slot that was last reported.
    var reportedWait: Duration?
    /// True if there is work for more connections than the host grants.
    var wantsMoreConnections = false
    /// The number of consecutive refusals that the connections of other downloads hardly explain.
    var oddRefusals = 0
}
