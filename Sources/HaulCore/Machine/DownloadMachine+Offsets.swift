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

    /// Asks once for bytes that are there, as soon as there are enough of them.
    mutating func proveOffset(now: Duration) {
        guard !active.values.contains(where: \.plan.provesOffset) else { return }
        if let range = comparable(with: sources.focus) { return startComparison(of: range, now: now) }
        // Nobody else will bring the bytes that are lacking.
        if active.isEmpty { restart(.rangesIgnored, now: now) }
    }

    /// What came from an offset was not what is there: the offset was ignored, or the file has changed.
    mutating func offsetIsWrong(now: Duration) {
        guard active.values.contains(where: { isOfFocus($0) && !$0.plan.isProof }) else {
            return restart(.rangesIgnored, now: now)
        }
        // The others have no offset, or one that was proved: they continue.
        servesRanges = false
        effects.append(.emit(.notice(.rangesIgnored)))
    }

    /// What came from an offset is there, but also at the start of the file: more has to be compared.
    mutating func offsetIsUndecided(now: Duration) {
        sources.current.overlap *= 8
        // A stream keeps no more than the usual overlap.
        if configuration.streamWindow != nil { return restart(.rangesIgnored, now: now) }
        proceed(now: now)
    }
}
