/// Pieces that do not match their digests are fetched again, and nothing else.
extension DownloadMachine {
    /// The number of times that corrupt pieces are fetched again; each further source adds one.
    static let maxPieceRounds = 3
    /// The number of corrupt pieces after which a source is excluded.
    static let badPiecesOfALiar = 2

    /// Handles the result of comparing all pieces with their digests.
    mutating func didCheckPieces(_ bad: [Int], now: Duration) {
        guard phase == .verifying, let pieces = configuration.pieces, let total = map.total else { return }
        if bad.isEmpty { return effects.append(.content(.verify(total: total))) }
        let ranges = bad.map { pieces.range(of: $0, total: total) }.filter { !$0.isEmpty }
        for range in ranges { blame(range) }
        leaveOutLiars()
        pieceRounds += 1
        guard pieceRounds < Self.maxPieceRounds + sources.ids.count else {
            // The digest of the file decides, as without piece hashes: another source may have all of it right.
            if configuration.checksum != nil, adopted == nil {
                return effects.append(.content(.verify(total: total)))
            }
            let numbers = bad.prefix(5).map { String($0 + 1) }.joined(separator: ", ")
            let outcome = adopted == nil ? "nothing was kept" : FoundChecksum.Outcome.adopted.rawValue
            let message = "\(bad.count) of \(pieces.hashes.count) pieces are damaged from all sources; \(outcome)"
            return fail(DownloadError(.checksumMismatch, message, cause: "pieces \(numbers)"), now: now)
        }
        effects.append(.emit(.notice(.badPieces(bad.count))))
        revert(ranges, of: total)
    }

    /// Records the contributors of a corrupt piece.
    ///
    /// A source that delivered all of it is responsible.
    private mutating func blame(_ range: ByteRange) {
        let (contributors, areAll) = sources.ledger.contributors(of: range)
        for id in contributors.sorted() { sources.suspects.append(SourcePool.Suspect(range: range, source: id)) }
        if areAll, contributors.count == 1, let id = contributors.first { sources[id].badPieces += 1 }
    }

    /// Excludes sources that delivered corrupt pieces, except the last one, without which no source would be left.
    private mutating func leaveOutLiars() {
        for id in sources.ids where sources.isUsable(id) && sources[id].badPieces >= Self.badPiecesOfALiar {
            guard sources.usable.count > 1 else { return }
            let error = DownloadError(.checksumMismatch, "\(sources[id].badPieces) pieces from it were damaged")
            sources.exclude(id, error)
            effects.append(.emit(.notice(.sourceExcluded(url: sources[id].home.redacted, reason: error.description))))
        }
        guard !sources.isUsable(sources.primary), let next = sources.usable.first(where: isFirm) ?? sources.usable.first
        else { return }
        sources.primary = next
    }

    /// Replaces the map with one in which these ranges, which are in order, are missing.
    private mutating func revert(_ ranges: [ByteRange], of total: Int64) {
        var kept: [(start: Int64, position: Int64)] = []
        var start: Int64 = 0
        for range in ranges {
            kept.append((start, range.lowerBound))
            start = range.upperBound
        }
        kept.append((start, total))
        map = SegmentMap(total: total, resuming: kept)
        farthest = map.written
        phase = .reopening
        effects.append(.content(.revert(map)))
    }
}
