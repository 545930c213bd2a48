/// Files whose size the server did not report: the body was chunked, or delimited by the end of the connection.
///
/// They are resumed all the same. A request for the first byte reveals the size, in its `Content-Range`, if the server
/// supports ranges at all.
extension DownloadMachine {
    /// The existing bytes of a file of unknown size.
    struct Unmeasured: Hashable, Sendable {
        /// The source that sent them, the only one that can continue them.
        var source: SourceID
        var version: KnownVersion
        var pieces: [Located.Piece]
        /// True if only a checksum can prove that the bytes are right.
        var needsDigest = false
    }

    /// Returns true if a range request to a source can reveal the size, and another one can fetch the rest.
    func canMeasure(by source: SourceID) -> Bool {
        configuration.form.isGet && configuration.window == nil && configuration.streamWindow == nil
            && sources[source].currentURL.isWeb
    }

    /// Returns the source that can reveal the size of existing bytes: the one that sent them; nil if none can.
    func measurer(of version: KnownVersion) -> SourceID? {
        let source = sources.mayMix ? sources.describer(of: version) : sources.primary
        return source.flatMap { sources.isUsable($0) && canMeasure(by: $0) ? $0 : nil }
    }

    /// Requests the size of a file of which an earlier run left some bytes.
    mutating func measure(_ path: String, _ version: KnownVersion, _ pieces: [Located.Piece], now: Duration) {
        self.path = path
        if let source = measurer(of: version) {
            unmeasured = Unmeasured(
                source: source, version: version, pieces: pieces, needsDigest: needsDigest(version))
        } else if needsDigest(version) {
            effects.append(.emit(.notice(Self.lacksDigest)))
        }
        probe(now: now)
    }

    /// Returns true if an earlier run joined bytes because a checksum was to decide at the end, and the caller of this
    /// run gave none.
    func needsDigest(_ version: KnownVersion) -> Bool {
        version.provenance == .unproven && !configuration.isVouchedFor
    }

    /// The reason why a partial file that only a checksum could verify is not resumed.
    static let lacksDigest = Notice.partialQuarantined(
        reason: "only a checksum can verify it, and none was given")

    /// The same reason for a partial file that another source has started: this download must not remove it.
    static let lacksDigestOfOther = DownloadError(
        .sourceChanged,
        "the partial file was downloaded for a checksum, and now there is none: give the checksum or another name, "
            + "or remove the partial file")

    private static let isOfAnother = Notice.partialQuarantined(
        reason: "its size is unknown, and the source that sent it does not respond")

    /// Remembers the existing bytes before a restart after a broken connection, if a range request may continue them.
    mutating func keepUnmeasured() {
        let source = sources.primary
        guard phase == .transferring, map.total == nil, map.written >= Self.overlap, canMeasure(by: source),
            sources[source].servesRanges, let version = sources[source].version
        else { return }
        unmeasured = Unmeasured(
            source: source, version: forJournal(version), pieces: [Located.Piece(start: 0, position: map.written)])
    }

    /// Continues the existing bytes if the response reveals the size of the same version; otherwise the file starts
    /// again.
    ///
    /// - Returns: True if they are continued.
    mutating func continueMeasured(_ facts: ResponseFacts, now: Duration) -> Bool {
        guard let found = unmeasured.take() else { return false }
        guard sources.primary == found.source else {
            effects.append(.emit(.notice(Self.isOfAnother)))
            return false
        }
        let written = found.pieces.map(\.position).max() ?? 0
        let isOther =
            found.version.validators.agreement(with: facts.validators) == .different
            || facts.total.map { $0 < written || $0 != found.version.total ?? $0 } ?? false
        guard facts.servesRanges, let total = facts.total, !isOther else {
            effects.append(.emit(.notice(isOther ? .sourceChanged : .rangesIgnored)))
            return false
        }
        let lacksDigest = found.needsDigest && wanted == nil
        if lacksDigest, !mayBeDescribed {
            effects.append(.emit(.notice(Self.lacksDigest)))
            return false
        }
        var version = found.version
        version.total = total
        sources[sources.primary].version = version
        var pieces = found.pieces
        if found.version.total == nil, written == total {
            // Another version may have exactly the length received so far. So the last byte is fetched again, after
            // those that are compared.
            pieces = pieces.map { Located.Piece(start: $0.start, position: min($0.position, total - 1)) }
        }
        drain(lacksDigest ? .describe(pieces) : .resume(pieces), now: now)
        return true
    }
}
