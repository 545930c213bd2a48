public import HaulCore

/// The failure of a transfer.
public struct TransportError: Error, Hashable, Sendable {
    /// The kind of failure.
    public let kind: Kind
    /// The cause in the words of the layer below, without credentials.
    public let detail: String
    /// The exact cause, if the user can do something about it.
    public let reason: DownloadError.Detail?
    /// The proxy at which the transfer failed, without credentials; nil if it failed at the server, or at an unknown
    /// point.
    public var proxy: String?

    /// Creates an error.
    public init(_ kind: Kind, _ detail: String, _ reason: DownloadError.Detail? = nil, proxy: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.reason = reason
        self.proxy = proxy
    }

    /// The detail of a refused connection, the same in every transport.
    public static let refusal = "Connection refused"
    /// The detail of a response that begins with bytes that are not text, which no transport can parse.
    public static let noStatusLine = "it does not begin with a status line"

    /// The kinds of failures.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The URL or a header cannot be sent.
        case badRequest
        /// Something named in the request cannot be used: a kind of proxy, a certificate's file, an address or
        /// interface.
        ///
        /// The detail is a sentence for the user.
        case unusable
        /// The host has no address.
        case nameNotResolved
        /// No process accepts connections there.
        case refused
        /// There is no file descriptor for a connection: the process or the system has too many open files.
        case tooManyFiles
        /// There was no connection within `timeToConnect`.
        ///
        /// The detail is a clause.
        case connectTimedOut
        /// The proxy requires credentials, or other ones.
        case proxyNotAuthorized
        /// The proxy does not connect to the host.
        ///
        /// The detail is a predicate that says what the proxy did.
        case proxyRefused
        /// The certificate or the host key is not trusted.
        ///
        /// The detail is a predicate.
        case untrusted
        /// TLS failed otherwise.
        ///
        /// With a reason, the detail is a predicate that says what the server did.
        case tls
        /// The connection was reset, or ended in the middle of a response or without one.
        case cut
        /// The response is not trustworthy HTTP: its framing is broken.
        case badResponse
        /// The body is not in the content coding that its header names, or expands beyond the limit.
        case undecodable
        /// The head of the response is larger than the limit.
        case headTooLarge
        /// Any other failure.
        case other
    }
}
