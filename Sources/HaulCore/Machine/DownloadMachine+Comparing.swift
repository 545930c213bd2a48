/// Before bytes of a further source are joined with those that are there, it shows that it has the same file.
extension DownloadMachine {
    /// Bytes of the file to compare with what a source has, the last ones of what was fetched in one go; nil where there are too few yet.
    ///
    /// Less than 64 KiB, which may be no more than the header that all files of a kind have, prove only a source that nobody else has
    /// added to: it is compared with itself.
    func comparable(with id: Int) -> ByteRange? {
        guard
            let segment = map.segments.max(by: { $0.position - $0.start < $1.position - $1.start }),
            segment.position > segment.start
        else { return nil }
        let overlap = sources[id].overlap
        let range = ByteRange(from: max(segment.start, segment.position - overlap), to: segment.position)
        // The first bytes of a file are sent by a server that ignores the offset, too.
        guard sources[id].provesOffsets || range.lowerBound >= overlap else { return nil }
        let isItsOwn = sources.ledger.sources.isSubset(of: [id]) && (resumedBytes == 0 || id == 0)
        return range.count == overlap || isItsOwn ? range : nil
    }

    /// Whether a further source could go on with what is there; otherwise it begins anew.
    func canJoin(_ id: Int) -> Bool { map.total != nil && (configuration.isVouchedFor || comparable(with: id) != nil) }

    /// Asks the source in focus for bytes that are there already.
    mutating func startComparison(of range: ByteRange, now: Duration) {
        var ask = RangeRequest(
            offset: range.lowerBound, end: range.upperBound, window: configuration.window, known: knownVersion)
        ask.takesUnproven = true
        send(
            url: currentURL, redirects: [], segment: nil, ask: ask, position: range.lowerBound, now: now,
            proofEnd: range.upperBound)
    }

    /// Whether an answer says that its source has another file.
    private func showsOtherVersion(_ decision: ResponseDecision?) -> Bool {
        switch decision {
        case .changed, .otherVersion, .whole(_, .different): true
        case nil, .take, .redirect, .unproven, .whole, .rangesBroken, .notModified, .askWithoutRange, .busy, .tryAgain,
            .denied,
            .refuse:
            false
        }
    }

    /// A comparison with a further source is over.
    mutating func didEndComparison(
        _ fetch: ActiveFetch, at position: Int64, _ end: FetchEnd, now: Duration,
        using generator: inout some RandomNumberGenerator
    ) {
        switch end {
        case .complete, .enough, .won:
            guard let wanted = fetch.plan.end, position >= wanted else {
                let error = DownloadError(.badResponse, "the server ends its answers before what was asked for")
                return react(to: .broken(error), of: fetch, now: now, using: &generator)
            }
            sources.current.isTrusted = true
            sources.current.failures = 0
            if fetch.plan.provesOffset { sources.current.provesOffsets = true }
            didLook(at: ByteRange(from: fetch.plan.position, to: wanted))
            proceed(now: now)
        case .undecided where isLook(fetch):
            // The bytes are the ones that are there.
            didLook(at: ByteRange(from: fetch.plan.position, to: fetch.plan.end ?? fetch.plan.position))
            proceed(now: now)
        case .differs where isLook(fetch) && sourcesDisagree(now: now): break
        case .rejected where isLook(fetch) && showsOtherVersion(fetch.decision) && sourcesDisagree(now: now): break
        case .undecided, .differs, .rejected, .cancelled, .broken, .unreachable, .hopeless, .fileFailed:
            react(to: end, of: fetch, now: now, using: &generator)
        }
    }
}
