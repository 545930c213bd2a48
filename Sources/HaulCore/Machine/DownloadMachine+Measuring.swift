/// Bytes of a file whose size the server did not tell: chunked, or up to the end of the connection.
///
/// They are continued all the same. A request for the first byte tells the size, in its `Content-Range`, if the server serves ranges at all.
extension DownloadMachine {
    /// What is there of a file whose size is not known.
    struct Unmeasured: Hashable, Sendable {
        var version: KnownVersion
        var pieces: [Located.Piece]
        /// Whether only a digest shows that they are right.
        var needsDigest = false
    }

    /// Whether the next first request asks how large the file is.
    var measures: Bool { unmeasured != nil && usesRanges }

    /// Whether the size can be asked for with a range, and the rest with another one.
    var canMeasure: Bool {
        sources.isSingle && configuration.window == nil && configuration.streamWindow == nil && currentURL.isWeb
    }

    /// Asks for the size of a file of which an earlier run left some bytes.
    mutating func measure(_ path: String, _ version: KnownVersion, _ pieces: [Located.Piece], now: Duration) {
        self.path = path
        if canMeasure {
            unmeasured = Unmeasured(version: version, pieces: pieces, needsDigest: needsDigest(version))
        } else if needsDigest(version) {
            effects.append(.emit(.notice(Self.lacksDigest)))
        }
        probe(now: now)
    }

    /// Whether an earlier run joined bytes because a digest was to decide at the end, which this run does not know from its caller.
    func needsDigest(_ version: KnownVersion) -> Bool {
        version.provenance == .unproven && !configuration.isVouchedFor
    }

    /// Why a partial that only a digest could vouch for is not continued.
    static let lacksDigest = Notice.partialQuarantined(
        reason: "its parts were put together under a checksum, and now none is known")

    /// The same of a partial that another source has begun: it is not for this one to remove.
    static let lacksDigestOfOther = DownloadError(
        .sourceChanged,
        "what is there was put together under a checksum, and now none is known: give the checksum or another name, "
            + "or remove the partial file")

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
            || facts.total.map { $0 < written || $0 != found.version.total ?? $0 } ?? false
        guard facts.servesRanges, let total = facts.total, !isOther else {
            effects.append(.emit(.notice(isOther ? .sourceChanged : .rangesIgnored)))
            return false
        }
        if found.needsDigest, wanted == nil {
            effects.append(.emit(.notice(Self.lacksDigest)))
            return false
        }
        version = found.version
        version?.total = total
        // No size was told when they came, so that of the file shows nothing: they are compared like those of an earlier run.
        if found.version.total == nil { sources.ledger = SourceLedger() }
        pendingPieces = found.pieces
        if found.version.total == nil, written == total {
            // Another version may be exactly as long as what had come: so the last byte is fetched again, behind those that are compared.
            pendingPieces = found.pieces.map { Located.Piece(start: $0.start, position: min($0.position, total - 1)) }
        }
        drain(.resume, now: now)
        return true
    }
}
