public import HaulCore

/// Why a transfer broke.
public struct TransportError: Error, Hashable, Sendable {
    /// What broke.
    public let kind: Kind
    /// The cause in the words of the layer below, without credentials.
    public let detail: String
    /// What exactly happened, if something can be done about it.
    public let reason: DownloadError.Detail?
    /// The proxy at which it broke, without credentials; nil: at the server, or it is not known where.
    public var proxy: String?

    /// Makes an error.
    public init(_ kind: Kind, _ detail: String, _ reason: DownloadError.Detail? = nil, proxy: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.reason = reason
        self.proxy = proxy
    }

    /// The detail of a refused connection, the same in every transport.
    public static let refusal = "Connection refused"

    /// The kinds of break.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The URL or a header can't be sent.
        case badRequest
        /// Something that the request names can't be used: a kind of proxy, a certificate's file, an address or interface.
        ///
        /// The detail is a sentence for the user.
        case unusable
        /// The host has no address.
        case nameNotResolved
        /// Nobody accepts connections there.
        case refused
        /// There is no file descriptor for a connection: the process or the system has too many files open.
        case tooManyFiles
        /// No connection within `connectTimeout`.
        ///
        /// The detail is a clause.
        case connectTimedOut
        /// The proxy wants credentials, or other ones.
        case proxyNotAuthorized
        /// The proxy makes no connection to the host.
        ///
        /// The detail is what it did, as a predicate.
        case proxyRefused
        /// The certificate or the host key is not trusted.
        ///
        /// The detail is a predicate.
        case untrusted
        /// TLS failed otherwise.
        ///
        /// With a reason, the detail is what the server did, as a predicate.
        case tls
        /// The connection was reset, or ended in the middle of an answer or without one.
        case cut
        /// The answer is no HTTP that may be trusted: broken framing.
        case badResponse
        /// The body is not in the content coding that its header names, or expands beyond all measure.
        case undecodable
        /// The head of the response is larger than is accepted.
        case headTooLarge
        /// Anything else.
        case other
    }
}
