import HaulCore
import HaulDigest
import HaulFiles
import Synchronization

/// Recognition of an existing file at the destination that need not be downloaded again.
///
/// `ConflictPolicy.keep` and `DownloadSpec.verifiesExisting` share one rule: the file must match the checksum or the
/// pieces that were given, or the checksum that was found or sent in the server's header; without any, it must have the
/// size and date that the server reports.
extension FileContent {
    /// A file and the algorithm of its digest.
    struct DigestKey: Hashable {
        let path: String
        let algorithm: Checksum.Algorithm
    }

    private var mayKeep: Bool { spec.onConflict == .keep || spec.verifiesExisting }

    /// True if a file is kept that was to be resumed but turns out to be complete.
    private var completes: Bool { adopts && spec.adoptsPartials && spec.onConflict == .fail }

    /// True if any existing regular file is kept without a look at its contents.
    private var skips: Bool { spec.onConflict == .skip && spec.checksum == nil && !spec.verifiesExisting }

    /// Changes the digest that is computed during the download; nil: none.
    ///
    /// Does not block.
    func hash(_ algorithm: Checksum.Algorithm?) {
        let old = state.withLock { state -> PrefixHasher? in
            state.algorithm = algorithm
            guard let partial = state.partial, !state.slots.isEmpty else { return nil }
            defer { state.hasher = algorithm.map { PrefixHasher(partial, $0) } }
            return state.hasher
        }
        old?.cancel()
    }

    /// Returns true if only the server's response can show that the file at a path is the same, and nothing else may be
    /// done with it before.
    ///
    /// `keep` and `replace` open the partial file meanwhile; the others would end or choose another name.
    func awaitsFacts(_ path: String) throws(DownloadError) -> Bool {
        guard spec.verifiesExisting, spec.checksum == nil, case .regular = try existing(path) else { return false }
        switch spec.onConflict {
        case .fail, .skip: return true
        // A path chosen by an earlier run is kept, even if another file has its name now.
        case .rename: return path != options.targetPath
        case .keep, .replace: return false
        }
    }

    /// Returns the size of an existing file that matches the spec's checksum or, with `skip` alone, of any regular
    /// file.
    func sameByChecksum(_ path: String) throws(DownloadError) -> Int64? {
        if skips, case .regular(let size, _) = try existing(path) {
            try requireNoPartial(path)
            try requireFinished(path)
            return size
        }
        guard mayKeep || completes || spec.onConflict == .skip, let checksum = spec.checksum,
            case .regular(let size, _) = try existing(path)
        else { return nil }
        return try has(path, checksum) ? size : nil
    }

    /// Returns the size of an existing file that matches the server's size and digest, or size and date, if the spec
    /// has no checksum.
    func sameByFacts(_ path: String, _ facts: ResponseFacts) throws(DownloadError) -> Int64? {
        // Size and date belong to the whole resource, not to a range of it.
        guard mayKeep || completes, spec.range == nil, spec.checksum == nil,
            case .regular(let size, let date) = try existing(path), size == facts.total ?? size
        else { return nil }
        if let pieces = spec.pieces { return try has(path, pieces, size: size) ? size : nil }
        if let digest = facts.digest, spec.usesHeaderChecksum {
            return try has(path, digest.checksum) ? size : nil
        }
        // A program that preallocates creates a file of the final size before the bytes are in it.
        guard facts.total != nil, isOfSameDate(date, facts) else { return nil }
        return try hasControl(path) ? nil : size
    }

    /// Returns true if a file as long as the server's may be adopted, and is complete if its bytes compare equal.
    ///
    /// Not if a digest is known: it has already decided, and an adopted file with another digest would be removed.
    func mayBeWhole(_ facts: ResponseFacts) -> Bool {
        completes && !spec.verifiesExisting && spec.checksum == nil && spec.pieces == nil && !spec.findsChecksum
            && (facts.digest == nil || !spec.usesHeaderChecksum)
    }

    /// Returns the modification time of a file that is kept if the server's is not newer; nil if it can't be kept, or
    /// an earlier run has begun to replace it.
    func timeOfCopy(_ path: String) throws(DownloadError) -> Int64? {
        guard mayKeep, spec.range == nil, spec.checksum == nil, spec.pieces == nil,
            case .regular(_, let time) = try existing(path), time > 0, try !hasJournal(path)
        else { return nil }
        return try hasControl(path) ? nil : time
    }

    /// Returns true if a file's date shows that it is the server's present version: the server's date, or no earlier
    /// one if files do not get server dates.
    ///
    /// A later date does not verify a file, but is enough for `keep`, which would replace it.
    private func isOfSameDate(_ date: Int64, _ facts: ResponseFacts) -> Bool {
        guard spec.tuning.ignoresServerDate == true, !spec.verifiesExisting || spec.onConflict == .keep else {
            return facts.modified == date
        }
        return facts.modified ?? .min <= date
    }

    /// Returns the digest of a file; nil if the download was stopped meanwhile.
    func digest(_ path: String, _ algorithm: Checksum.Algorithm) throws(DownloadError) -> String? {
        try fileCall { () throws(FileError) in
            try StreamingDigest.file(path, algorithm, system: system) { [self] in
                isStopped.load(ordering: .acquiring)
            }
        }
    }

    private func has(_ path: String, _ checksum: Checksum) throws(DownloadError) -> Bool {
        let key = DigestKey(path: path, algorithm: checksum.algorithm)
        if let known = state.withLock({ $0.digests[key] }) { return known == checksum.hex }
        let hex = try digest(path, checksum.algorithm)
        state.withLock { $0.digests[key] = hex }
        return hex == checksum.hex
    }
    private func has(_ path: String, _ pieces: PieceHashes, size: Int64) throws(DownloadError) -> Bool {
        try fileCall { () throws(FileError) in
            try pieces.match(fileAt: path, size: size, system: system) { [self] in
                isStopped.load(ordering: .acquiring)
            }
        } ?? false
    }
}
