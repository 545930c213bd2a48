/// The checksum that the file must have: the caller's, otherwise one that was looked up, otherwise the one in the
/// server's response header.
extension DownloadMachine {
    /// The checksum that the finished file must have; nil if none is known.
    ///
    /// Piece hashes are given by the caller as well: if they match, a header that contradicts them is wrong.
    var wanted: FoundChecksum? {
        if let checksum = configuration.checksum { return FoundChecksum(checksum, configuration.checksumOrigin) }
        return configuration.pieces == nil ? headerChecksum ?? describedChecksum : nil
    }

    /// Reads the digest of the whole file from the first response.
    ///
    /// Another source's response without a digest does not revoke it, because that source must have the same file.
    ///
    /// Later responses are not read: hashing the existing bytes from the start would delay the end. If the file is only
    /// a part of the resource, the header describes something else.
    mutating func readDigest(_ facts: ResponseFacts, from source: SourceID, at url: SourceURL) {
        guard !hasReadDigest else { return }
        hasReadDigest = true
        guard configuration.usesHeaderChecksum, configuration.window == nil else { return }
        if headerChecksum == nil || digestSource == source {
            digestSource = source
            headerChecksum = facts.digest.map {
                FoundChecksum($0.checksum, .header(name: $0.field, host: url.host))
            }
        }
        if let mine = configuration.checksum, mine.algorithm == headerChecksum?.checksum.algorithm {
            doubtHeader(mine.hex)
        }
        let algorithm = (wanted ?? headerChecksum)?.checksum.algorithm
        guard hashed != algorithm else { return }
        hashed = algorithm
        effects.append(.digest(.algorithm(hashed)))
    }

    /// Reports that the header's digest is wrong if the caller's checksum or pieces contradict it.
    mutating func doubtHeader(_ hex: String?) {
        guard let reported = headerChecksum, let hex, hex != reported.checksum.hex,
            case .header(let name, let host) = reported.origin
        else { return }
        effects.append(.emit(.notice(.headerDigestWrong(header: name, host: host))))
    }

    /// Returns how a file that existed before was verified.
    ///
    /// - Parameter isSame: True if it has the size and the date that the server reports, or its pieces were compared.
    func verification(ofKept isSame: Bool) -> Verification {
        if let wanted { return .checksum(wanted.checksum, wanted.origin) }
        guard isSame else { return .nothing }
        return configuration.pieces.map { .pieces($0.algorithm) } ?? .sizeAndDate
    }

    /// The verification of a file that was not rejected.
    var verification: Verification {
        if let wanted { return .checksum(wanted.checksum, wanted.origin) }
        if let pieces = configuration.pieces { return .pieces(pieces.algorithm) }
        if let version = sources[sources.primary].version, version.total == nil { return .nothing }
        return .size
    }
}
