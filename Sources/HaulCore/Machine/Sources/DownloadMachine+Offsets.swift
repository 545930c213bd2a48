/// File servers, which do not state the offset at which their responses begin.
///
/// FTP has only "350 Restarting at 5000", and some servers still send the file from its start (RFC 3659, 5). So the
/// first bytes that such a server sends from an offset must equal existing bytes, and differ from the start of the
/// file.
extension DownloadMachine {
    /// Returns true if no existing bytes precede a segment for comparison, at a server whose offsets are not proved.
    func lacksProof(for id: Int, at source: SourceID) -> Bool {
        guard !sources[source].provesOffsets, sources[source].usesRanges, let segment = map.segment(id) else {
            return false
        }
        return segment.position > 0 && map.written(before: segment.position) == 0
    }

    /// The offset in the resource of the file's first byte.
    private var base: Int64 { configuration.window?.lowerBound ?? 0 }

    /// Requests existing bytes, once, as soon as there are enough of them.
    mutating func proveOffset(of source: SourceID, now: Duration) {
        guard !fetches.all.contains(where: \.plan.provesOffset) else { return }
        if let range = comparable(with: source) { return startComparison(of: range, with: source, now: now) }
        // No other fetch will deliver the missing bytes.
        if fetches.isEmpty { restart(.rangesIgnored, of: source, now: now) }
    }

    /// Checks a file server's size and date again before the file is complete, and compares bytes where fetches began; and
    /// compares bytes with the main source if only mirrors have sent the file.
    ///
    /// Such a server reports size and date before it opens the file that it sends. A file that replaced it in between
    /// would be mixed with it, or get its date. And a server that has applied one offset may ignore or round the next
    /// one.
    ///
    /// - Returns: False if there is nothing to check, or the checks are done; true while they are in progress.
    mutating func lookAgain(now: Duration) -> Bool {
        guard configuration.streamWindow == nil, let total = map.total, total > 0 else { return false }
        let left = (unlooked ?? placesToLook(total: total) + lookAtMain(total: total))
            .filter { !lookers(at: $0, now: now).isEmpty }
        unlooked = left
        guard let next = left.last else { return false }
        guard fetches.isEmpty else {
            // The other fetches have nothing to add: they end before the next check.
            for fetch in fetches.all where !fetch.plan.isProof && fetch.cancellation == nil {
                cancel(fetch.id, as: .surplus)
            }
            return true
        }
        guard let looker = ready(lookers(at: next, now: now), now: now) else { return true }
        if hasTargetPath(at: looker, now: now) { startComparison(of: next.range, with: looker, now: now) }
        return true
    }

    /// Returns the host that the next final check needs a connection to now; nil if no check is due.
    func hostToLookAt(now: Duration) -> Int? {
        guard let next = unlooked?.last else { return nil }
        return ready(lookers(at: next, now: now), now: now).map { sources[$0].hostNumber }
    }

    /// Returns the first of these sources that does not have to wait.
    private func ready(_ lookers: [SourceID], now: Duration) -> SourceID? {
        lookers.first { sources[$0].notBefore <= now }
    }

    /// Removes a range from the final checks after it was confirmed.
    mutating func didLook(at range: ByteRange) {
        if unlooked?.last?.range == range { unlooked?.removeLast() }
    }

    /// Returns true if a comparison is one of the final checks.
    func isLook(_ fetch: ActiveFetch) -> Bool {
        guard fetch.plan.isProof, map.isComplete, let next = unlooked?.last?.range else { return false }
        return fetch.plan.position == next.lowerBound && fetch.plan.end == next.upperBound
    }

    /// Tries each source alone after a final check found a different file, because several sources may have delivered
    /// the wrong bytes.
    ///
    /// - Returns: False if there is only one source.
    mutating func sourcesDisagree(now: Duration) -> Bool {
        guard sources.mayMix, sources.solo == nil else { return false }
        effects.append(.emit(.notice(.sourceChanged)))
        tryEachAlone(now: now)
        return true
    }

    /// A range for a final check.
    struct Look: Hashable, Sendable {
        var range: ByteRange
        /// The file server that delivered its bytes; of the main source's own check, the main source.
        var source: SourceID?
        /// True if the main source is asked whether it has the file that mirrors have sent.
        var isOfMain = false
    }

    /// True if the next final check is the main source's.
    var looksAtMain: Bool { unlooked?.last?.isOfMain ?? false }

    /// Returns the check of the main source, which is not waited for, if no response of it has taken part in the file.
    private func lookAtMain(total: Int64) -> [Look] {
        guard total > 1, isOfMirror, !isFirm(.main) else { return [] }
        return [Look(range: ByteRange(from: max(1, total - Self.overlap), to: total), source: .main, isOfMain: true)]
    }

    /// Returns the ranges for the final checks: the first bytes, and some around the start of each further segment,
    /// from odd offsets, which no server rounds to.
    ///
    /// Bytes of an earlier run may be from any source.
    private func placesToLook(total: Int64) -> [Look] {
        let half = Self.minOverlap / 2
        // With the same offset as before, a server that ignores offsets would send the same bytes again.
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

    /// Returns the sources that can be asked for a range, beginning with the one that delivered its bytes.
    private func lookers(at place: Look, now: Duration) -> [SourceID] {
        if place.isOfMain {
            return sources.isUsable(.main) && sources[.main].usesRanges && sources[.main].notBefore <= now
                ? [.main] : []
        }
        let able = sources.usable.filter {
            // A file server needs no offset for the start of the file.
            base + place.range.lowerBound == 0 && !sources[$0].home.isWeb
                || sources[$0].usesRanges && (sources[$0].servesRanges || map.segments.count > 1)
        }
        return able.filter { $0 == place.source } + able.filter { $0 != place.source && !sources[$0].home.isWeb }
            + able.filter { $0 != place.source && sources[$0].home.isWeb }
    }

    /// Handles bytes from an offset that differ from the existing ones: the offset was ignored, or the file has
    /// changed.
    mutating func offsetIsWrong(at source: SourceID, now: Duration) {
        // If the file is a range of the resource, the first fetch had an offset that nothing proves.
        guard base == 0, fetches.all.contains(where: { $0.source == source && !$0.plan.isProof }) else {
            return restart(.rangesIgnored, of: source, now: now)
        }
        // The other fetches have no offset, or a proved one: they continue.
        sources[source].servesRanges = false
        effects.append(.emit(.notice(.rangesIgnored)))
    }

    /// Handles bytes from an offset that equal both the existing ones and the start of the file: more must be compared.
    mutating func offsetIsUndecided(at source: SourceID, now: Duration) {
        let compared = sources[source].overlap
        sources[source].overlap = compared.multipliedReportingOverflow(by: 8).overflow ? .max : compared * 8
        // A stream keeps only the default overlap. In a file that repeats itself, even all existing bytes may not
        // suffice.
        if configuration.streamWindow != nil || compared > map.written && fetches.isEmpty {
            return restart(.rangesIgnored, of: source, now: now)
        }
        proceed(now: now)
    }
}
