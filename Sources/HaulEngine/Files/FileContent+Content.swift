import HaulCore
import HaulFiles
import HaulLibC
import Synchronization

/// Starting, verifying and publishing the file.
extension FileContent {
    /// Starts the partial file with the version that the server has just described.
    func begin(_ facts: ResponseFacts) throws(DownloadError) -> Located {
        guard let partial else { throw DownloadError(.internal, "there is no partial file to begin") }
        let stored = facts.validators.forJournal
        let slots = try partial.begin(
            total: facts.total, etag: stored.etag, lastModified: stored.lastModified,
            provenance: facts.provenance, describer: identity(of: facts.describer),
            canContinue: facts.canContinue,
            allocates: facts.total ?? 0 >= spec.tuning.allocatesFrom ?? 0)
        // Otherwise the file would get the date of an older version that was resumed before.
        state.withLock { $0.modified = facts.modified }
        adopt(slots, of: partial)
        followPieces(of: partial)
        return .fresh(path: partial.names.final)
    }

    /// Resumes the partial file that was found.
    func resume(_ version: KnownVersion, _ map: SegmentMap, keepsRest: Bool) throws(DownloadError) {
        guard let partial else { throw DownloadError(.internal, "there is no partial file to resume") }
        let stored = version.validators.forJournal
        let segments = map.segments.map { ResumedSegment(start: $0.start, position: $0.position) }
        let slots = try partial.resume(
            total: version.total, etag: stored.etag, lastModified: stored.lastModified,
            provenance: version.provenance, describer: identity(of: version.describer), segments: segments,
            keepsRest: keepsRest)
        let modified = version.validators.lastModified.flatMap { HTTPDate.parse($0, now: WallClock.now()) }
        state.withLock { $0.modified = modified }
        adopt(slots, of: partial)
        followPieces(of: partial)
        advance(to: map.contiguousPrefix)
    }

    func adopt(_ slots: [SegmentSlot], of partial: PartialFile) {
        let old = state.withLock { state in
            let old = state.hasher
            state.hasher = state.algorithm.map { PrefixHasher(partial, $0) }
            state.slots = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($0.offset, $0.element) })
            return old
        }
        old?.cancel()
    }

    /// Returns the digest of the whole file, or nil if none was requested.
    func verify(_ total: Int64) throws(DownloadError) -> String? {
        guard let hasher = state.withLock({ $0.hasher }) else { return nil }
        hasher.advance(to: total)
        return try fileCall { () throws(FileError) in try hasher.finish(total: total) }
    }

    /// Gives the file its final name.
    func publish(_ total: Int64, _ modified: Int64?) throws(DownloadError) -> String {
        guard let partial else { throw DownloadError(.internal, "there is no partial file to publish") }
        try requireSameFolders()
        let date = spec.tuning.ignoresServerDate == true ? nil : modified ?? state.withLock { $0.modified }
        options.onNaming?(partial.names.final, total, partial.identity)
        let path = partial.names.final
        let unnumbered = state.withLock { $0.unnumbered } ?? path
        if FileAttributes.applies(to: spec) { try FileAttributes.apply(spec, toFileAt: partial.names.partial) }
        let final = try partial.publish(policy: try policy(at: path), modified: date, total: total) { [self] in
            numbered(unnumbered, $0)
        }
        noteFinished(final)
        return final
    }

    /// Stores the status of the file, so that another file in its place can be recognised later.
    ///
    /// A failure does not matter, except that another file is not recognised then.
    func noteFinished(_ path: String) {
        let file = (try? system.status(atPath: path)).flatMap(\.self)
        state.withLock { $0.finished = file }
    }

    /// Returns the policy for a file that has the name by now.
    private func policy(at path: String) throws(DownloadError) -> ConflictPolicy {
        if try isEarlier(path) { return .replace }
        if spec.adoptsPartials, spec.onConflict != .replace, spec.onConflict != .rename,
            case .regular(size: 0, _) = try fileCall({ () throws(FileError) in
                try ExistingFile.at(path, system: system)
            })
        {
            return .keep
        }
        return spec.onConflict
    }

    /// Syncs and closes the partial file, as far as possible.
    ///
    /// A download that stops reports its own error, and data whose sync failed is not trusted later.
    func save() {
        reportShortage()
        guard let partial = release() else { return }
        try? partial.checkpoint()
        #if canImport(Darwin)
            try? partial.flush()
        #endif
        partial.close()
    }

    /// Removes the partial file and its journal.
    ///
    /// A file that can't be removed is left; it is never mistaken for a finished one.
    func discard() {
        try? release()?.discard()
    }

    private func release() -> PartialFile? {
        state.withLock { state in
            state.hasher?.cancel()
            state.checker?.cancel()
            let partial = state.partial
            // A file that was being proved stays as it was.
            state = State(queued: state.queued, finished: state.finished)
            return partial
        }
    }
}

extension Validators {
    /// The prefix of a weak date in the journal.
    private static let weakMark = "~"

    /// The validators in the form of the journal.
    var forJournal: (etag: String?, lastModified: String?) {
        (etag, lastModified.map { dateIsStrong ? $0 : Self.weakMark + $0 })
    }

    /// Creates the validators from a journal.
    init(journal state: PartialState) {
        let date = state.lastModified.map { $0.hasPrefix(Self.weakMark) ? String($0.dropFirst()) : $0 }
        self.init(
            etag: state.etag, lastModified: date,
            dateIsStrong: state.lastModified.map { !$0.hasPrefix(Self.weakMark) } ?? false)
    }
}
