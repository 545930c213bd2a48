package import HaulCore

/// The facts of a finished download: `FinishFacts`.
package struct FinishMessage: Hashable, Sendable, Codable {
    /// The path of the file.
    package var path: String
    /// Its size.
    package var totalBytes: Int64
    /// The number of bytes received in the last session.
    package var sessionBytes: Int64
    /// The duration of that session.
    package var seconds: Double
    /// True if the file existed already and was left alone.
    package var kept: Bool
    /// The verification of the file.
    package var verification: VerificationMessage

    /// Creates the message for the facts.
    package init(_ facts: FinishFacts) {
        path = facts.path
        totalBytes = facts.totalBytes
        sessionBytes = facts.sessionBytes
        seconds = facts.seconds
        kept = facts.kept
        verification = VerificationMessage(facts.verification)
    }

    /// The facts in the message.
    package var facts: FinishFacts {
        get throws(DownloadError) {
            FinishFacts(
                path: path, totalBytes: totalBytes, sessionBytes: sessionBytes, seconds: seconds,
                verification: try verification.verification, kept: kept)
        }
    }
}

/// The verification of a file: `Verification`, with its data in fields of their own.
package struct VerificationMessage: Hashable, Sendable, Codable {
    /// The name for programs: `checksum`, `pieces`, `sizeAndDate`, `size` or `nothing`.
    package var by: String
    /// The text for people.
    package var message: String
    /// With `checksum`: the checksum, as `sha256:HEX`.
    package var checksum: String?
    /// With `checksum`: its origin: `given`, `header` or `file`.
    package var from: String?
    /// With `header`: the header's name.
    package var header: String?
    /// With `header`: the host of the response.
    package var host: String?
    /// With `file`: its path or URL.
    package var file: String?
    /// With `pieces`: the algorithm of their digests.
    package var algorithm: Checksum.Algorithm?

    /// Creates the message for a verification.
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

    /// The verification in the message.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for values that this version does not know.
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
