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
    /// - Returns: false if there is nothing to look at, or it has been done.
    mutating func lookAgain(now: Duration) -> Bool {
        guard !currentURL.isWeb, sources.isSingle, configuration.streamWindow == nil, usesRanges, servesRanges,
            let total = map.total, total > 0, active.isEmpty
        else { return false }
        var left = unlooked ?? placesToLook(total: total)
        guard let next = left.popLast() else { return false }
        unlooked = left
        startComparison(of: next, now: now)
        return true
    }

    /// The first bytes, and some around the beginning of each further segment, from odd offsets that nobody rounds to.
    private func placesToLook(total: Int64) -> [ByteRange] {
        let half = Self.leastOverlap / 2
        // With the offset that brought them, a server that ignores offsets would send the same bytes again.
        let first = base > 0 && total > 1 ? 1 : 0 as Int64
        var places = [ByteRange(from: first, to: min(total, first + Self.leastOverlap))]
        for segment in map.segments where segment.start > half {
            places.append(ByteRange(from: segment.start - half + 1, to: min(total, segment.start + half)))
        }
        return places
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
