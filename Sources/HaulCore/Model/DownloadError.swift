#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why a download failed: a code and a detail for programs, a sentence for people, and the cause.
///
/// The library throws it, the command line prints it, and the API encodes it as JSON. It never contains credentials.
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
    /// Each has one exit code (see `ExitCode`). Later versions may add some.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Code: String, Sendable, Codable, CaseIterable {
        /// The request is invalid: a bad URL, header or option.
        case invalidRequest
        /// The host name could not be resolved.
        case nameNotResolved
        /// The connection could not be established, or broke and could not be re-established.
        case connectionFailed
        /// No connection was established, or no data was received, within the timeout.
        case timedOut
        /// The certificate is not trusted, or TLS failed otherwise.
        case tlsFailed
        /// 404 or 410: the file does not exist.
        case notFound
        /// 401, 403 or 407: credentials are missing or not accepted.
        case notAuthorized
        /// 401, 403 or 410 partway through: the link has expired; the bytes are kept.
        case linkExpired
        /// 429 or a 5xx status that persisted.
        case serverBusy
        /// Another HTTP error.
        case unexpectedStatus
        /// A redirect that is a loop, exceeds the limit, or leads to a URL that Haul does not follow.
        case redirectRefused
        /// The HTTP response is invalid: truncated, wrongly framed, or contradictory.
        case badResponse
        /// The response has a content encoding that cannot be decoded.
        case contentEncoded
        /// The file on the server changes faster than it can be fetched.
        case sourceChanged
        /// The finished file does not match the requested checksum.
        case checksumMismatch
        /// There is not enough disk space.
        case noSpace
        /// A file system error: permission denied, a missing directory, an I/O error.
        case fileFailed
        /// The process or the system has too many files open.
        case tooManyFiles
        /// A file exists at the destination, and the caller asked not to replace it.
        case destinationExists
        /// Another process or download is writing the same file.
        case destinationBusy
        /// There is no download with this identity or key, or it was removed.
        case noSuchDownload
        /// The command is not possible in the state of the download.
        case notPossible
        /// Another process uses the catalogue.
        case catalogueBusy
        /// The catalogue cannot be read or written, or was written by a newer version of Haul.
        case catalogueFailed
        /// It was cancelled.
        case cancelled
        /// A defect of Haul itself.
        case `internal`
    }
}

extension DownloadError {
    /// Decodes an error; a detail that only a later version knows becomes nil.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        code = try values.decode(Code.self, forKey: .code)
        message = try values.decode(String.self, forKey: .message)
        cause = try values.decodeIfPresent(String.self, forKey: .cause)
        detail = try values.decodeIfPresent(String.self, forKey: .detail).flatMap(Detail.init)
        status = try values.decodeIfPresent(Int.self, forKey: .status)
    }
}

extension DownloadError: LocalizedError {
    /// The same as `description`, so that `localizedDescription` says it, too.
    public var errorDescription: String? { description }
    /// The cause as the system or the server reported it.
    public var failureReason: String? { cause }
}

extension DownloadError: CustomStringConvertible {
    /// The message, with the cause in parentheses.
    public var description: String {
        guard let cause, !cause.isEmpty else { return message }
        return "\(message) (\(cause))"
    }
}
