/// The sources as seen from outside.
extension DownloadMachine {
    /// The URLs of the sources as given, the main one first.
    ///
    /// A fetch names its source by its index in this list.
    package var homes: [SourceURL] { sources.ids.map { sources[$0].home } }
}

/// Requests to a source, and the trust in its responses.
extension DownloadMachine {
    /// Returns the version that a source's responses are compared with.
    ///
    /// For a source that has not responded yet, that is only the size.
    func knownVersion(of source: SourceID) -> KnownVersion {
        if let version = sources[source].version { return version }
        var known = KnownVersion(total: map.total, validators: Validators())
        known.resourceTotal = sources[sources.primary].version?.resourceTotal
        return known
    }

    /// Returns true if bytes of a source from `position` on may be joined with those before them without comparison.
    func isJoinedBlindly(at position: Int64, from source: SourceID) -> Bool {
        guard sources[source].home.isWeb else { return false }
        let isStrong = sources[source].revealsVersions
        if sources.mayMix, configuration.isVouchedFor { return true }
        if let contributor = sources.ledger.contributor(before: position) {
            return isStrong && contributor == source
        }
        // These bytes were left by an earlier run. Its journal keeps the validators of the main source, whatever source
        // delivered the bytes. A date alone does not identify the version either: a copy with the same date may have
        // replaced the file since.
        let version = sources[source].version
        let mayBeOthers = version?.provenance != .oneSource && !configuration.isVouchedFor
        let hasTag = version?.validators.strongETag != nil || configuration.isVouchedFor
        return isStrong && hasTag && !mayBeOthers && sources.primary == source
    }

    /// Records what an accepted response reveals about its source.
    mutating func learn(_ facts: ResponseFacts, of fetch: ActiveFetch) {
        guard sources.mayMix else { return }
        if sources[fetch.source].version == nil { sources[fetch.source].version = facts.version }
        if !fetch.plan.isProof { sources[fetch.source].isTrusted = true }
    }

    /// Withdraws the trust in a source without a strong validator: nothing shows that its next response is of the same
    /// version, so it must prove itself again.
    mutating func distrustIfWeak(_ source: SourceID) {
        guard !configuration.isVouchedFor, sources.usable.count > 1, phase == .transferring,
            sources[source].version != nil, !sources[source].revealsVersions
        else { return }
        sources[source].isTrusted = false
    }

    /// Returns the facts as they are recorded in the journal.
    ///
    /// The next run asks the source of the validators first.
    func forJournal(_ facts: ResponseFacts) -> ResponseFacts {
        var facts = facts
        facts.provenance = provenance(revealsVersions: facts.validators.areStrong)
        facts.describer = describer(sources.primary)
        return facts
    }

    /// Returns the version as it is recorded in the journal.
    func forJournal(_ version: KnownVersion) -> KnownVersion {
        var version = version
        version.describer = describer(sources.primary)
        return version
    }

    private func describer(_ id: SourceID) -> Describer { id == .main ? .main : .mirror(sources[id].home) }

    /// Returns true if a response can't be of the version of an earlier run's bytes, as far as is known now: only the
    /// source that described them can tell, and it has not responded yet.
    ///
    /// A mirror may have a new version whose bytes are equal where they are compared.
    func mayBeOtherVersion(_ facts: ResponseFacts, from id: SourceID) -> Bool {
        guard let describer = sources.unconfirmed, describer != id, let version = sources[describer].version else {
            return false
        }
        return !version.validators.vouch(for: facts.validators)
    }

    static let isUnconfirmed = DownloadError(
        .sourceChanged, "it may have another version than the partial file, whose source has not responded yet")

    /// Returns the provenance that the journal records for bytes joined from now on, so that the next run knows how far
    /// to trust them.
    ///
    /// - Parameter revealsVersions: True if each response of the main source identifies its version.
    package func provenance(revealsVersions: Bool) -> Provenance {
        if sources.ids.contains(where: { sources[$0].isLinked }) { return .unproven }
        if configuration.isVouchedFor { return !sources.mayMix && revealsVersions ? .oneSource : .unproven }
        return sources.mayMix ? .compared : .oneSource
    }

    /// Returns the reason why a file of this size is not the wanted one; nil if it may be.
    func objection(to total: Int64?) -> DownloadError? {
        guard let total else { return nil }
        if let expected = configuration.expectedBytes, total != expected {
            return DownloadError(.sourceChanged, "its file has \(total) bytes, expected \(expected)")
        }
        guard let pieces = configuration.pieces, !pieces.fits(total: total) else { return nil }
        return DownloadError(
            .sourceChanged,
            "its file has \(total) bytes, which do not match \(pieces.hashes.count) pieces of \(pieces.length)")
    }

    /// Returns the reason why a response cannot be the file; nil if it may be.
    func objection(to facts: ResponseFacts) -> DownloadError? {
        if let problem = objection(to: facts.total) { return problem }
        let replaced = beginsAsPage ? nil : former
        guard configuration.failsOnHTML || replaced != nil else { return nil }
        return objection(to: facts, replacing: replaced)
    }

    /// Returns the error for a response that is probably not the file: a web page under the name of another kind of file, or
    /// what may be an error in place of existing data; nil for any other.
    ///
    /// A response with validators may be a file whose type the server does not know, unless it is text and not known to be as
    /// large as the data; if the server called that text as well, it always does.
    ///
    /// - Parameter former: The data that the response would replace, as that of a login that has expired would; nil if there is
    ///   none, or if it is a page itself.
    func objection(to facts: ResponseFacts, replacing former: FormerBytes?) -> DownloadError? {
        let isStray = former != nil && !facts.validators.hasAny && !facts.hasEncodedTag
        let found: String
        if facts.isWebPage, BinaryName.isNoPage(name(facts)) || isStray {
            found = "a web page, possibly an error or a login page,"
        } else if let former, facts.total == 0 || facts.isEmpty, isStray || former.count > 0 {
            // Also with an ETag of its own, which some servers give every empty response.
            found = "nothing"
        } else if let former, facts.isText, BinaryName.isNoText(name(facts)),
            isStray || !beginsAsText && facts.total ?? 0 < former.count
        {
            // Some servers give every response an ETag, also an error with the status 200.
            found = "text, possibly an error,"
        } else if isStray, let former, let total = facts.total, total < former.count {
            found = "\(total) bytes without an ETag or a date, possibly an error,"
        } else if let former, former.version.total != nil || former.version.validators.hasAny, facts.total == nil,
            isStray || former.version.validators.etag != nil && facts.validators.etag == nil && !facts.hasEncodedTag
        {
            // It may end anywhere.
            found = "a response without size and ETag, possibly an error,"
        } else {
            return nil
        }
        let problem = "the server sent \(found) instead of the file"
        let isKept = former != nil && keepsBytes
        return DownloadError(
            .unexpectedStatus,
            isKept ? problem + "; the partial file is kept: remove it if the response is right" : problem)
    }

    /// Returns true if a whole response in place of a range is more likely an error than the file: it is requested once
    /// more before everything starts again.
    func seemsError(_ facts: ResponseFacts) -> Bool {
        guard phase == .transferring, map.written > 0, !beginsAsPage else { return false }
        let version = sources[sources.definer].version ?? KnownVersion(total: map.total, validators: Validators())
        return objection(to: facts, replacing: FormerBytes(version: version, count: map.written)) != nil
    }

    /// Returns the file's name or path.
    private func name(_ facts: ResponseFacts) -> String {
        path ?? FileName.suggested(contentDisposition: facts.contentDisposition, url: configuration.url)
    }

    /// Returns the longest silence allowed for a fetch from a source.
    func patience(for source: SourceID) -> Duration {
        configuration.transfer.patience(hasAlternative: sources.hasAlternative(to: source))
    }

    /// Prefers the other sources for a while, because this one delayed them.
    mutating func preferOthers(to source: SourceID, now: Duration) {
        sources[source].slowUntil = now + .seconds(10)
    }
}
