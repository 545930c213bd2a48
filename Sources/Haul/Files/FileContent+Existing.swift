import HaulCore
import HaulFiles
import Synchronization

/// Whether a file that stands at the destination already is the one: then it is kept.
///
/// The one rule of `ConflictPolicy.keep` and `DownloadSpec.verifiesExisting`: the same is what has the checksum that is known, given,
/// looked for or told by the server's header; without one, what has the size and the date that the server tells.
extension FileContent {
    /// Which digest of which file.
    struct DigestKey: Hashable {
        let path: String
        let algorithm: Checksum.Algorithm
    }

    private var mayKeep: Bool { spec.onConflict == .keep || spec.verifiesExisting }

    /// Whether a file is kept that turns out to be complete when it is to be continued.
    private var completes: Bool { adopts && spec.onConflict == .fail }

    /// Whether any ordinary file that stands there is left, without a look at what is in it.
    private var skips: Bool { spec.onConflict == .skip && spec.checksum == nil && !spec.verifiesExisting }

    /// Computes another digest while the file comes, or none.
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

    /// Whether only the server's answer can tell if the file at a path is the one, and nothing else would be done with it before.
    ///
    /// `keep` and `replace` open the partial meanwhile; `fail` and `rename` would end or go elsewhere.
    func awaitsFacts(_ path: String) throws(DownloadError) -> Bool {
        guard spec.verifiesExisting, spec.checksum == nil, case .regular = try existing(path) else { return false }
        switch spec.onConflict {
        case .fail: return true
        // What an earlier run settled on is gone on with there, whatever has taken its name since.
        case .rename: return path != options.targetPath
        case .keep, .replace, .skip: return false
        }
    }

    /// With a checksum: the size of a file that has it; with `skip` alone: that of any file.
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

    /// Without a checksum of the caller: the size of a file that has the size and the digest, or the date, that the server tells.
    func sameByFacts(_ path: String, _ facts: ResponseFacts) throws(DownloadError) -> Int64? {
        // Size and date are those of the resource: of which part of it the file is, they do not tell.
        guard mayKeep || completes, spec.range == nil, spec.checksum == nil, let total = facts.total,
            case .regular(let size, let date) = try existing(path), size == total
        else { return nil }
        if let digest = facts.digest, spec.usesHeaderChecksum {
            return try has(path, digest.checksum) ? size : nil
        }
        // A program that sets room aside makes a file as long as it will be before its bytes are there.
        guard isOfSameDate(date, facts) else { return nil }
        return try hasControl(path) ? nil : size
    }

    /// Whether a file as long as the server's may be adopted to be continued, after its bytes are compared.
    ///
    /// Not if a digest decides: it has done so already, and an adopted file with another one would be removed.
    func mayBeWhole(_ facts: ResponseFacts) -> Bool {
        completes && !spec.verifiesExisting && spec.checksum == nil && spec.pieces == nil && !spec.findsChecksum
            && (facts.digest == nil || !spec.usesHeaderChecksum)
    }

    /// The time of the last change of a file that is kept if the server's is not newer; nil if it can't be kept, or an earlier run has
    /// begun to replace it.
    func timeOfCopy(_ path: String) throws(DownloadError) -> Int64? {
        guard mayKeep, spec.range == nil, spec.checksum == nil, case .regular(_, let time) = try existing(path),
            time > 0,
            try !hasJournal(path)
        else { return nil }
        return try hasControl(path) ? nil : time
    }

    /// Whether a file's date shows that it is of the version that the server has now: the server's date, or if that is not kept, no earlier one.
    private func isOfSameDate(_ date: Int64, _ facts: ResponseFacts) -> Bool {
        guard spec.tuning.ignoresServerDate == true else { return facts.modified == date }
        return facts.modified ?? .min <= date
    }

    /// The digest of a file; nil where the download was stopped meanwhile.
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
}
