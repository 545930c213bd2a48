/// File servers, which do not say where their answers begin.
///
/// FTP has no more than "350 Restarting at 5000", and some servers send the file from its start all the same (RFC 3659, 5). So the first
/// bytes that such a server sends from an offset must be bytes that are there already, and other ones than the file begins with.
extension DownloadMachine {
    /// Whether a segment begins where nothing is there to compare its bytes with, at a server whose offsets are not proved.
    func lacksProof(for id: Int) -> Bool {
        guard !sources.current.provesOffsets, usesRanges, let segment = map.segment(id) else { return false }
        return segment.position > 0 && map.written(before: segment.position) == 0
    }

    /// The offset in the resource of the file's first byte.
    private var base: Int64 { configuration.window?.lowerBound ?? 0 }

    /// Asks once for bytes that are there, as soon as there are enough of them.
    mutating func proveOffset(now: Duration) {
        guard !active.values.contains(where: \.plan.provesOffset) else { return }
        if let range = comparable(with: sources.focus) { return startComparison(of: range, now: now) }
        // Nobody else will bring the bytes that are lacking.
        if active.isEmpty { restart(.rangesIgnored, now: now) }
    }

    /// Looks at a file server's size and date once more before the file is complete, and compares bytes where fetches began.
    ///
    /// Such a server tells size and date before it opens the file that it sends: one that took its place in between would be mixed with
    /// it, or be called by its date. And a server that has kept to one offset may ignore, or round, the next one.
    ///
    /// - Returns: false if there is nothing to look at, or it has been done; true while it is under way.
    mutating func lookAgain(now: Duration) -> Bool {
        guard configuration.streamWindow == nil, let total = map.total, total > 0 else { return false }
        let left = unlooked ?? placesToLook(total: total)
        unlooked = left
        guard let next = left.last else { return false }
        guard active.isEmpty else {
            // What else runs has nothing to add: it ends before the next look.
            for id in active.keys.sorted() where active[id].map({ !$0.plan.isProof && !$0.isSurplus }) ?? false {
                active[id]?.isSurplus = true
                effects.append(.network(.cancel(id)))
            }
            return true
        }
        let lookers = lookers(at: next)
        guard !lookers.isEmpty else { return false }
        guard let looker = lookers.first(where: { sources[$0].notBefore <= now }) else { return true }
        sources.focus = looker
        defer { if !sources.isSingle { sources.focus = sources.primary } }
        if hasTargetPath(now: now) { startComparison(of: next.range, now: now) }
        return true
    }

    /// What was looked at is as it should be.
    mutating func didLook(at range: ByteRange) {
        if unlooked?.last?.range == range { unlooked?.removeLast() }
    }

    /// Whether a comparison is one of those at the end.
    func isLook(_ fetch: ActiveFetch) -> Bool {
        guard fetch.plan.isProof, map.isComplete, let next = unlooked?.last?.range else { return false }
        return fetch.plan.position == next.lowerBound && fetch.plan.end == next.upperBound
    }

    /// A look at the end shows another file, and several sources could have brought the wrong bytes: each of them is tried alone.
    ///
    /// - Returns: false where there is only one.
    mutating func sourcesDisagree(now: Duration) -> Bool {
        guard !sources.isSingle, sources.solo == nil else { return false }
        effects.append(.emit(.notice(.sourceChanged)))
        tryEachAlone(now: now)
        return true
    }

    /// A place to be looked at, and the file server that brought the bytes there.
    struct Look: Hashable, Sendable {
        var range: ByteRange
        var source: Int?
    }

    /// The first bytes, and some around the beginning of each further segment, from odd offsets that nobody rounds to.
    ///
    /// What an earlier run left may be of any source.
    private func placesToLook(total: Int64) -> [Look] {
        let half = Self.minOverlap / 2
        // With the offset that brought them, a server that ignores offsets would send the same bytes again.
        let first = base > 0 && total > 1 ? 1 : 0 as Int64
        let start = ByteRange(from: first, to: min(total, first + Self.minOverlap))
        let contributors = sources.ledger.sources
        let servers = sources.ids.filter { !sources[$0].home.isWeb && (resumedBytes > 0 || contributors.contains($0)) }
        guard !servers.isEmpty else { return [] }
        var places = servers.map { Look(range: start, source: $0) }
        for segment in map.segments where segment.start > half {
            let source = sources.ledger.contributor(before: segment.start + 1)
            if let source, sources[source].home.isWeb { continue }
            let range = ByteRange(from: segment.start - half + 1, to: min(total, segment.start + half))
            places.append(Look(range: range, source: source))
        }
        return places
    }

    /// The sources that can be asked for the bytes of a place, the one that brought them first.
    private func lookers(at place: Look) -> [Int] {
        let able = sources.usable.filter {
            sources[$0].usesRanges && (sources[$0].servesRanges || map.segments.count > 1)
        }
        return able.filter { $0 == place.source } + able.filter { $0 != place.source && !sources[$0].home.isWeb }
            + able.filter { $0 != place.source && sources[$0].home.isWeb }
    }

    /// What came from an offset was not what is there: the offset was ignored, or the file has changed.
    mutating func offsetIsWrong(now: Duration) {
        // Behind a range, the first fetch had an offset that nothing proves.
        guard base == 0, active.values.contains(where: { isOfFocus($0) && !$0.plan.isProof }) else {
            return restart(.rangesIgnored, now: now)
        }
        // The others have no offset, or one that was proved: they continue.
        servesRanges = false
        effects.append(.emit(.notice(.rangesIgnored)))
    }

    /// What came from an offset is there, but also at the start of the file: more has to be compared.
    mutating func offsetIsUndecided(now: Duration) {
        let compared = sources.current.overlap
        sources.current.overlap = compared.multipliedReportingOverflow(by: 8).overflow ? .max : compared * 8
        // A stream keeps no more than the usual overlap. Of a file that repeats itself, all that is there may not be enough.
        if configuration.streamWindow != nil || compared > map.written && active.isEmpty {
            return restart(.rangesIgnored, now: now)
        }
        proceed(now: now)
    }
}
