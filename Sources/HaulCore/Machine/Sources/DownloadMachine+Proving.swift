/// A file of another program that has become the partial file.
struct AdoptedFile: Hashable, Sendable {
    /// True if nothing was missing: the file is the user's, and Haul has only compared it.
    var isWhole: Bool
}

/// A partial file of another source or program, or of several sources that nothing identifies: the source must prove that
/// it has the same file, over one connection, before anything is written.
extension DownloadMachine {
    /// Starts the proof, if there are bytes.
    mutating func prove(
        _ path: String, _ known: KnownVersion, _ pieces: [Located.Piece], _ origin: SourceProof.Origin,
        seen: Validators? = nil, now: Duration
    ) {
        self.path = path
        map = resumed(pieces, of: known)
        // Without bytes there is nothing to compare: the first response decides what the file is.
        guard map.written > 0 else { return probe(now: now) }
        keepsBytes = true
        phase = .proving(SourceProof(of: known, map, overlap: Self.overlap, origin: origin, seen: seen))
        continueProving(now: now)
    }

    /// Requests the next bytes to compare, or continues with all existing bytes.
    mutating func continueProving(now: Duration) {
        guard case .proving(let proof) = phase, fetches.isEmpty else { return }
        guard let next = proof.overlaps.first else { return didProve(proof) }
        let source = sources.primary
        guard now >= sources[source].notBefore, hasTargetPath(at: source, now: now) else { return }
        var ask = RangeRequest(
            offset: next.lowerBound, end: next.upperBound, window: configuration.window, known: proof.new)
        ask.takesUnproven = true
        ask.usesIfRange = sources[source].consensus.usesIfRange
        send(
            source: source, url: sources[source].currentURL, segment: nil, ask: ask, position: next.lowerBound,
            now: now,
            proofEnd: next.upperBound)
    }

    private mutating func didProve(_ proof: SourceProof) {
        guard var version = proof.new else { return }
        // Of another program's file only samples are compared; with a checksum, even an old file is accepted.
        let isForeign = if case .otherProgram = proof.origin { true } else { false }
        let ours = provenance(revealsVersions: version.validators.areStrong)
        version.provenance = max(proof.old.provenance, isForeign && configuration.isVouchedFor ? .unproven : ours)
        sources[sources.primary].version = version
        sources.definer = sources.primary
        resumedBytes = map.written
        farthest = map.written
        wasSampled = !proof.isVouchedFor
        if isForeign { adopted = AdoptedFile(isWhole: map.isComplete) }
        keepsBytes = configuration.resumes
        phase = .reopening
        effects.append(.content(.resume(forJournal(version), map)))
    }

    /// Handles the head of a response that is to be compared.
    mutating func didReceive(_ facts: ResponseFacts, toProve proof: SourceProof, now: Duration) {
        var proof = proof
        let refusal = proof.receive(facts, fromDescriber: sources.describer(of: proof.old) == sources.primary)
        phase = .proving(proof)
        switch refusal {
        case nil: break
        case .unconfirmed: giveUp(sources.primary, Self.isUnconfirmed, .unconfirmed, now: now)
        case .other(let reason): failProof(reason, of: proof, isOther: true, now: now)
        case .changed:
            // What another program left is examined again; the bytes of another download are left alone.
            if case .otherProgram = proof.origin { return restart(.sourceChanged, of: sources.primary, now: now) }
            failProof("it changed before the comparison", of: proof, isOther: true, now: now)
        case .incomparable(let reason): failProof(reason, of: proof, now: now)
        }
    }

    /// Handles the end of a comparison.
    mutating func didEndProof(
        _ proof: SourceProof, _ fetch: ActiveFetch, at position: Int64, _ end: FetchEnd, now: Duration,
        using generator: inout some RandomNumberGenerator
    ) {
        // Another source compares the bytes since this one was left out.
        guard fetch.source == sources.primary else { return continueProving(now: now) }
        var proof = proof
        let hasGained = proof.advance(to: position)
        phase = .proving(proof)
        if hasGained, RetryPolicy.isProgress(position - fetch.plan.position, of: map.total) {
            sources[fetch.source].failures = 0
        }
        switch end {
        case .complete, .enough, .won, .undecided:
            if hasGained { return continueProving(now: now) }
            let error = DownloadError(.badResponse, "the server's responses end too early")
            react(to: .broken(error), of: fetch, now: now, using: &generator)
        case .differs: failProof("its data is different", of: proof, isOther: true, now: now)
        case .rejected: didReject(proof, fetch, now: now, using: &generator)
        case .cancelled, .longer, .broken, .unreachable, .hopeless, .fileFailed:
            react(to: end, of: fetch, now: now, using: &generator)
        }
    }

    private mutating func didReject(
        _ proof: SourceProof, _ fetch: ActiveFetch, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        switch fetch.decision {
        case .whole(_, .different): failProof("it changed during the comparison", of: proof, now: now)
        case .whole where fetch.plan.ask.ifRangeHeader != nil:
            // RFC 9110, 13.1.5: some servers compare `If-Range` with the ETag only. The same request again, without it.
            sources[fetch.source].consensus.ifRangeWasMisread()
            continueProving(now: now)
        case .whole, .rangesBroken:
            failProof("the server does not support range requests, so it cannot be compared", of: proof, now: now)
        case .changed, .otherVersion, .unproven: failProof("it changed during the comparison", of: proof, now: now)
        // 416, or a whole file of unknown size.
        case .askWithoutRange: failProof("it has a different or unknown size", of: proof, isOther: true, now: now)
        case nil, .take, .notModified, .redirect, .busy, .tryAgain, .denied, .refuse:
            react(to: .rejected, of: fetch, now: now, using: &generator)
        }
    }

    /// Handles a proof that failed.
    ///
    /// - Parameter isOther: True if the source has a different file; false if it cannot be compared.
    private mutating func failProof(_ reason: String, of proof: SourceProof, isOther: Bool = false, now: Duration) {
        switch proof.origin {
        case .severalSources where isOther: sourceDiffers(sources.primary, now: now)
        case .severalSources where sources.hasAlternative(to: sources.primary),
            .otherSource where !isOther && sources.hasAlternative(to: sources.primary):
            sourceFails(sources.primary, DownloadError(.badResponse, reason), .parts, now: now)
        case .severalSources: restart(.rangesIgnored, of: sources.primary, now: now)
        case .otherProgram(let file):
            fail(.notAdopted(file, reason: "the server's file is different: \(reason)"), now: now)
        case .otherSource:
            let message =
                "the new source has a different file; the partial file is kept: "
                + "choose another link or another name, or remove the partial file"
            let error = DownloadError(.sourceChanged, message, cause: reason)
            isOther ? drain(.leave(error), now: now) : fail(error, now: now)
        }
    }

    /// True if bytes of other sources of this download or of an earlier one are being compared: any source may do it.
    var anySourceMayProve: Bool {
        guard case .proving(let proof) = phase else { return false }
        return switch proof.origin {
        case .severalSources, .otherSource: true
        case .otherProgram: false
        }
    }

    /// Compares the bytes of several sources with another source, the first one that is available.
    mutating func proveByAnother(now: Duration) {
        guard case .proving(let proof) = phase else { return }
        choosePrimary(now: now)
        phase = .proving(SourceProof(of: proof.old, map, overlap: Self.overlap, origin: proof.origin))
        continueProving(now: now)
    }

    /// Looks for another name for the partial file, because the one that was found belongs to a different file.
    mutating func leave(_ error: DownloadError) {
        path = nil
        map = SegmentMap(total: nil)
        keepsBytes = false
        phase = .locating
        effects.append(.content(.leave(error)))
    }
}
