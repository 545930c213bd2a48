/// Which checksum the file must have: the caller's, else the one that was looked for, else the one of the server's own header.
extension DownloadMachine {
    /// What the finished file must have; nil where nothing is known.
    var wanted: FoundChecksum? {
        configuration.checksum.map { FoundChecksum($0, configuration.checksumOrigin) } ?? headerChecksum
    }

    /// Takes the digest of the whole file out of the first answer.
    ///
    /// Later ones are not asked: to begin hashing what is there already would hold up the end. Where only a part of the resource is
    /// the file, the header speaks of something else.
    mutating func readDigest(_ facts: ResponseFacts, from url: SourceURL) {
        guard !hasReadDigest else { return }
        hasReadDigest = true
        if configuration.takesDigest, let digest = facts.digest {
            headerChecksum = FoundChecksum(digest.checksum, .header(name: digest.field, host: url.host))
        }
        guard hashed != wanted?.checksum.algorithm else { return }
        hashed = wanted?.checksum.algorithm
        effects.append(.hash(hashed))
    }

    /// By what a file was verified that was not refused.
    ///
    /// - Parameter kept: Whether it stood there before: without a checksum its date was compared as well, if the server was asked.
    func verification(kept: Bool) -> Verification {
        if let wanted { return .checksum(wanted.checksum, wanted.origin) }
        if kept { return version == nil ? .nothing : .sizeAndDate }
        if let pieces = configuration.pieces { return .pieces(pieces.algorithm) }
        if let version, version.total == nil { return .nothing }
        return .size
    }
}

extension MachineConfiguration {
    /// Whether a digest in a header counts.
    var takesDigest: Bool { usesHeaderChecksum && checksum == nil && window == nil }
}
