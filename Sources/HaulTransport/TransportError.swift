/// Why a transfer broke.
public struct TransportError: Error, Hashable, Sendable {
    /// What broke.
    public let kind: Kind
    /// The cause in the words of the layer below, without credentials.
    public let detail: String

    /// Makes an error.
    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

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
        case connectTimedOut
        /// The proxy wants credentials, or other ones.
        case proxyNotAuthorized
        /// The proxy makes no connection to the host.
        case proxyRefused
        /// The certificate is not trusted.
        case untrusted
        /// TLS failed otherwise.
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
