/// Why a download failed: a code and a detail for programs, a sentence for people, and the cause.
///
/// The same value is thrown by the library, printed by the command line, and encoded as JSON. It never contains a credential.
public struct DownloadError: Error, Hashable, Sendable, Codable {
    /// The kind of failure.
    public let code: Code
    /// A one-line description, without the names of command-line options.
    public let message: String
    /// The cause as the system or the server reported it, such as an `errno` text or a status line; nil if there is none.
    public let cause: String?
    /// The exact problem, if the user can do something about it; otherwise nil.
    public let detail: Detail?
    /// The HTTP status of the response that caused the failure; nil if there was none.
    public private(set) var status: Int?

    /// Creates an error; credentials of URLs in the texts are replaced by `REDACTED`.
    public init(_ code: Code, _ message: String, cause: String? = nil, detail: Detail? = nil) {
        self.code = code
        self.detail = detail
        self.message = URLRedaction.inText(message)
        self.cause = cause.map(URLRedaction.inText)
    }

    /// Returns the error with a status; nil leaves it unchanged.
    package func of(status: Int?) -> DownloadError {
        guard let status else { return self }
        var error = self
        error.status = status
        return error
    }
}

extension DownloadError {
    /// The kinds of failure.
    ///
    /// Each has one exit code (see `ExitCode`).
    public enum Code: String, Sendable, Codable, CaseIterable {
        /// The request can't be made as asked: a bad URL, header, option.
        case invalidRequest
        /// The host has no address.
        case nameNotResolved
        /// No connection, or it broke and did not come back.
        case connectionFailed
        /// No connection or no byte within the time allowed.
        case timedOut
        /// The certificate is not trusted, or TLS failed otherwise.
        case tlsFailed
        /// 404 or 410: it is not there.
        case notFound
        /// 401, 403 or 407: credentials are missing or not accepted.
        case notAuthorized
        /// 401, 403 or 410 after a good start: the link has expired; the bytes are kept.
        case linkExpired
        /// 429 or a 5xx status that did not pass.
        case serverBusy
        /// Another status that is no success.
        case unexpectedStatus
        /// A redirect that is a loop, one too many, or to where Haul does not follow.
        case redirectRefused
        /// The answer breaks HTTP: it is cut, wrongly framed, or contradicts itself.
        case badResponse
        /// The response is compressed in a way that can't be decoded.
        case contentEncoded
        /// The file on the server changes faster than it can be fetched.
        case sourceChanged
        /// The finished bytes do not have the checksum that was asked for.
        case checksumMismatch
        /// The disk has too little room.
        case noSpace
        /// The file system refused: permission, a missing folder, an I/O error.
        case fileFailed
        /// The process or the system has too many files open.
        case tooManyFiles
        /// Something stands where the file should go, and the caller asked not to touch it.
        case destinationExists
        /// Another process or download is writing the same file.
        case destinationBusy
        /// No download has this identity or key, or it was removed.
        case noSuchDownload
        /// What was asked for does not fit the state that the download is in.
        case notPossible
        /// Another process has the catalogue.
        case catalogueBusy
        /// The catalogue can't be read or written, or a newer version of Haul wrote it.
        case catalogueFailed
        /// It was cancelled.
        case cancelled
        /// A defect of Haul itself.
        case `internal`
    }
}

extension DownloadError {
    /// Reads an error; a detail of a later version is nil.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        code = try values.decode(Code.self, forKey: .code)
        message = try values.decode(String.self, forKey: .message)
        cause = try values.decodeIfPresent(String.self, forKey: .cause)
        detail = try values.decodeIfPresent(String.self, forKey: .detail).flatMap(Detail.init)
        status = try values.decodeIfPresent(Int.self, forKey: .status)
    }
}

extension DownloadError: CustomStringConvertible {
    /// The value as text.
    public var description: String {
        guard let cause, !cause.isEmpty else { return message }
        return "\(message) (\(cause))"
    }
}
