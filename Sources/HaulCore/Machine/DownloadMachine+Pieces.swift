/// Pieces that do not have their digest are fetched again, and nothing else.
extension DownloadMachine {
    /// So often bad pieces are fetched again, and once more for each further source.
    static let maxPieceRounds = 3
    /// A source that has brought so many bad pieces is left out.
    static let badPiecesOfALiar = 2

    /// The digests of all pieces were compared.
    mutating func didCheckPieces(_ bad: [Int], now: Duration) {
        guard phase == .verifying, let pieces = configuration.pieces, let total = map.total else { return }
        if bad.isEmpty { return effects.append(.content(.verify(total: total))) }
        let ranges = bad.map { pieces.range(of: $0, total: total) }.filter { !$0.isEmpty }
        for range in ranges { blame(range) }
        leaveOutLiars()
        pieceRounds += 1
        guard pieceRounds < Self.maxPieceRounds + sources.ids.count else {
            let numbers = bad.prefix(5).map { String($0 + 1) }.joined(separator: ", ")
            let message =
                "\(bad.count) of \(pieces.hashes.count) pieces are damaged wherever they come from; nothing was kept"
            return fail(DownloadError(.checksumMismatch, message, cause: "pieces \(numbers)"), now: now)
        }
        effects.append(.emit(.notice(.badPieces(bad.count))))
        revert(ranges, of: total)
    }

    /// Notes who brought a bad piece; one that brought all of it is to blame.
    private mutating func blame(_ range: ByteRange) {
        let (contributors, areAll) = sources.ledger.contributors(of: range)
        for id in contributors.sorted() { sources.suspects.append(SourceTable.Suspect(range: range, source: id)) }
        if areAll, contributors.count == 1, let id = contributors.first { sources[id].badPieces += 1 }
    }

    /// The last source left is not left out: there would be nobody to ask.
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
        sources.focus = next
    }

    /// Makes a map in which the bytes of these ranges, which are in order, are missing.
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
