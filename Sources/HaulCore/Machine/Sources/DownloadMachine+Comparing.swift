/// Comparison of sources: before bytes of another source are joined with the existing ones, it must prove that it has
/// the same file.
extension DownloadMachine {
    /// Returns the range to compare with a source, the end of the longest stretch fetched in sequence; nil if there are
    /// too few bytes yet.
    ///
    /// Less than 64 KiB may be no more than a header common to all files of a type. So little is sufficient only for a
    /// source that was the only contributor: it is compared with itself.
    func comparable(with id: SourceID) -> ByteRange? {
        guard
            let segment = map.segments.max(by: { $0.position - $0.start < $1.position - $1.start }),
            segment.position > segment.start
        else { return nil }
        let overlap = sources[id].overlap
        let range = ByteRange(from: max(segment.start, segment.position - overlap), to: segment.position)
        // A server that ignores the offset also sends the first bytes of the file.
        guard sources[id].provesOffsets || range.lowerBound >= overlap else { return nil }
        let isItsOwn = sources.ledger.sources.isSubset(of: [id]) && (resumedBytes == 0 || id == .main)
        return range.count == overlap || isItsOwn ? range : nil
    }

    /// Returns true if another source could continue the existing bytes; otherwise it starts from scratch.
    func canJoin(_ id: SourceID) -> Bool {
        map.total != nil && (configuration.isVouchedFor || comparable(with: id) != nil)
    }

    /// Requests existing bytes from a source, to compare them.
    mutating func startComparison(of range: ByteRange, with source: SourceID, now: Duration) {
        var ask = RangeRequest(
            offset: range.lowerBound, end: range.upperBound, window: configuration.window,
            known: knownVersion(of: source))
        ask.takesUnproven = true
        send(
            source: source, url: sources[source].currentURL, segment: nil, ask: ask, position: range.lowerBound,
            now: now,
            proofEnd: range.upperBound)
    }

    /// Returns true if a response shows that its source has a different file.
    private func showsOtherVersion(_ decision: ResponseDecision?) -> Bool {
        switch decision {
        case .changed, .otherVersion, .whole(_, .different): true
        case nil, .take, .redirect, .unproven, .whole, .rangesBroken, .notModified, .askWithoutRange, .busy, .tryAgain,
            .denied,
            .refuse:
            false
        }
    }

    /// Handles the end of a comparison with another source.
    mutating func didEndComparison(
        _ fetch: ActiveFetch, at position: Int64, _ end: FetchEnd, now: Duration,
        using generator: inout some RandomNumberGenerator
    ) {
        switch end {
        case .complete, .enough, .won:
            guard let wanted = fetch.plan.end, position >= wanted else {
                let error = DownloadError(.badResponse, "the server's responses end too early")
                return react(to: .broken(error), of: fetch, now: now, using: &generator)
            }
            sources[fetch.source].isTrusted = true
            sources[fetch.source].failures = 0
            if fetch.plan.provesOffset { sources[fetch.source].provesOffsets = true }
            didLook(at: ByteRange(from: fetch.plan.position, to: wanted))
            proceed(now: now)
        case .undecided where isLook(fetch):
            // The bytes equal the existing ones.
            didLook(at: ByteRange(from: fetch.plan.position, to: fetch.plan.end ?? fetch.plan.position))
            proceed(now: now)
        case .differs where isLook(fetch) && !looksAtMain && sourcesDisagree(now: now): break
        case .rejected
        where isLook(fetch) && !looksAtMain && showsOtherVersion(fetch.decision) && sourcesDisagree(now: now):
            break
        case .undecided, .differs, .longer, .rejected, .cancelled, .broken, .unreachable, .hopeless, .fileFailed:
            react(to: end, of: fetch, now: now, using: &generator)
        }
    }
}

/// Sources that send only the whole file: existing bytes are compared with the start of the response, and the rest of it
/// continues them.
extension DownloadMachine {
    /// The step after which a lone source without ranges sends the file again.
    ///
    /// The existing bytes stay where they are, so that a run that is killed meanwhile loses none of them.
    var startOver: MachinePhase.AfterDraining {
        guard let known = sources[sources.primary].version else { return .restart }
        return continuation(of: known, [Located.Piece(start: 0, position: map.contiguousPrefix)]) ?? .restart
    }

    /// Requests the file from its start after an attempt that failed, without giving up bytes that its response can
    /// continue.
    mutating func requestWhole(now: Duration) {
        keepUnmeasured()
        drain(startOver, now: now)
    }

    /// Returns the step that continues these bytes of a partial file without ranges; nil if they can't be compared.
    func continuation(of known: KnownVersion, _ pieces: [Located.Piece]) -> MachinePhase.AfterDraining? {
        guard resumesWhole, let total = known.total,
            let first = pieces.first(where: { $0.start == 0 })
        else { return nil }
        // Bytes at wrong offsets may be among them: even if none is missing, all are compared.
        let position = min(first.position, total - 1)
        return position > 0 ? .resume([Located.Piece(start: 0, position: position)]) : nil
    }

    /// True if the only source sends no ranges, so that bytes of a file can only be continued by the whole of it.
    var resumesWhole: Bool {
        configuration.form.isGet && !sources.mayMix && !sources[sources.primary].usesRanges
            && configuration.streamWindow == nil
            && configuration.window == nil
    }
}
