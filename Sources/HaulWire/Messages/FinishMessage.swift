package import HaulCore

/// What is known of a finished download: `FinishFacts`.
package struct FinishMessage: Hashable, Sendable, Codable {
    /// Where the file stands.
    package var path: String
    /// Its size.
    package var totalBytes: Int64
    /// Bytes received in the last session.
    package var sessionBytes: Int64
    /// How long that session took.
    package var seconds: Double
    /// Whether the file stood there already and was left alone.
    package var kept: Bool
    /// By what it was verified.
    package var verification: VerificationMessage

    /// Tells the facts.
    package init(_ facts: FinishFacts) {
        path = facts.path
        totalBytes = facts.totalBytes
        sessionBytes = facts.sessionBytes
        seconds = facts.seconds
        kept = facts.kept
        verification = VerificationMessage(facts.verification)
    }

    /// The facts that were told.
    package var facts: FinishFacts {
        get throws(DownloadError) {
            FinishFacts(
                path: path, totalBytes: totalBytes, sessionBytes: sessionBytes, seconds: seconds,
                verification: try verification.verification, kept: kept)
        }
    }
}

/// By what a file was verified: `Verification` with its fields side by side.
package struct VerificationMessage: Hashable, Sendable, Codable {
    /// Its name for programs: `checksum`, `pieces`, `sizeAndDate`, `size` or `nothing`.
    package var by: String
    /// The same in words, for people.
    package var message: String
    /// With `checksum`: which, as `sha256:HEX`.
    package var checksum: String?
    /// With `checksum`: where it comes from: `given`, `header` or `file`.
    package var from: String?
    /// With `header`: the header's name.
    package var header: String?
    /// With `header`: whose answer it was.
    package var host: String?
    /// With `file`: its path or URL.
    package var file: String?
    /// With `pieces`: the kind of their digests.
    package var algorithm: Checksum.Algorithm?

    /// Tells how a file was verified.
    package init(_ verification: Verification) {
        by = verification.name
        message = verification.description
        checksum = verification.checksum?.description
        switch verification {
        case .checksum(_, let origin):
            from = origin.name
            switch origin {
            case .given: break
            case .header(let name, let host): (header, self.host) = (name, host)
            case .file(let location): file = location
            }
        case .pieces(let algorithm): self.algorithm = algorithm
        case .sizeAndDate, .size, .nothing: break
        }
    }

    /// What was told.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for what this version does not know.
    package var verification: Verification {
        get throws(DownloadError) {
            switch (by, checksum, algorithm) {
            case ("checksum", let checksum?, _): return .checksum(try Checksum(parsing: checksum), origin)
            case ("pieces", _, let algorithm?): return .pieces(algorithm)
            case ("sizeAndDate", _, _): return .sizeAndDate
            case ("size", _, _): return .size
            case ("nothing", _, _): return .nothing
            case _: throw .unknownMessage("the verification \"\(TerminalText.fitted(by, width: 40))\"")
            }
        }
    }

    private var origin: ChecksumOrigin {
        if let header { return .header(name: header, host: host ?? "") }
        return file.map { .file($0) } ?? .given
    }
}
