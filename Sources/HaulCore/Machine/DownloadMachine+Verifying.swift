/// Which checksum the file must have: the caller's, else the one that was looked for, else the one of the server's own header.
extension DownloadMachine {
    /// What the finished file must have; nil where nothing is known.
    ///
    /// Piece hashes are the caller's word as well: where they are right, a header that says otherwise is wrong.
    var wanted: FoundChecksum? {
        if let checksum = configuration.checksum { return FoundChecksum(checksum, configuration.checksumOrigin) }
        return configuration.pieces == nil ? headerChecksum ?? describedChecksum : nil
    }

    /// Takes the digest of the whole file out of the first answer.
    ///
    /// Another source that says nothing does not take it back: it has to have the same file.
    ///
    /// Later ones are not asked: to begin hashing what is there already would hold up the end. Where only a part of the resource is
    /// the file, the header speaks of something else.
    mutating func readDigest(_ facts: ResponseFacts, from url: SourceURL) {
        guard !hasReadDigest else { return }
        hasReadDigest = true
        guard configuration.usesHeaderChecksum, configuration.window == nil else { return }
        if headerChecksum == nil || digestSource == sources.focus {
            digestSource = sources.focus
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

    /// The header's digest is told to be wrong where the caller's checksum or pieces say something else.
    mutating func doubtHeader(_ hex: String?) {
        guard let reported = headerChecksum, let hex, hex != reported.checksum.hex,
            case .header(let name, let host) = reported.origin
        else { return }
        effects.append(.emit(.notice(.headerDigestWrong(header: name, host: host))))
    }

    /// By what a file was verified that stood there before.
    ///
    /// - Parameter isSame: Whether it has the size and the date that the server tells.
    func verification(ofKept isSame: Bool) -> Verification {
        if let wanted { return .checksum(wanted.checksum, wanted.origin) }
        return isSame ? .sizeAndDate : .nothing
    }

    /// By what a file was verified that was not refused.
    var verification: Verification {
        if let wanted { return .checksum(wanted.checksum, wanted.origin) }
        if let pieces = configuration.pieces { return .pieces(pieces.algorithm) }
        if let version, version.total == nil { return .nothing }
        return .size
    }
}
