/// Bytes of a file whose size the server did not tell: chunked, or up to the end of the connection.
///
/// They are continued all the same. A request for the first byte tells the size, in its `Content-Range`, if the server serves ranges at all.
extension DownloadMachine {
    /// What is there of a file whose size is not known.
    struct Unmeasured: Hashable, Sendable {
        var version: KnownVersion
        var pieces: [Located.Piece]
    }

    /// Whether the next first request asks how large the file is.
    var measures: Bool { unmeasured != nil && usesRanges }

    /// Whether the size can be asked for with a range, and the rest with another one.
    private var canMeasure: Bool {
        sources.isSingle && configuration.window == nil && configuration.streamWindow == nil && currentURL.isWeb
    }

    /// Asks for the size of a file of which an earlier run left some bytes.
    mutating func measure(_ path: String, _ version: KnownVersion, _ pieces: [Located.Piece], now: Duration) {
        self.path = path
        if canMeasure { unmeasured = Unmeasured(version: version, pieces: pieces) }
        probe(now: now)
    }

    /// Before a new start over a broken connection: remembers what is there, if a range may continue it.
    mutating func keepUnmeasured() {
        guard phase == .transferring, map.total == nil, map.written >= Self.overlap, let version, servesRanges,
            canMeasure
        else { return }
        unmeasured = Unmeasured(version: version, pieces: [Located.Piece(start: 0, position: map.written)])
    }

    /// Continues the bytes that are there if the response tells the size of the same version; otherwise the file starts again.
    ///
    /// - Returns: whether they are continued.
    mutating func continueMeasured(_ facts: ResponseFacts, now: Duration) -> Bool {
        guard let found = unmeasured.take() else { return false }
        let written = found.pieces.map(\.position).max() ?? 0
        let isOther =
            found.version.validators.agreement(with: facts.validators) == .different
            || facts.total.map { $0 < written } ?? false
        guard facts.servesRanges, let total = facts.total, !isOther else {
            effects.append(.emit(.notice(isOther ? .sourceChanged : .rangesIgnored)))
            return false
        }
        version = found.version
        version?.total = total
        pendingPieces = found.pieces
        drain(.resume, now: now)
        return true
    }
}
