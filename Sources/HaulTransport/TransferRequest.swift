public import HTTPTypes

/// One GET, ready to be sent: what the transport needs and nothing of why.
public struct TransferRequest: Sendable {
    /// An absolute URL without user name, password and fragment.
    public var url: String
    /// Every header to send, but `Host`, which the transport adds.
    public var headers: HTTPFields
    /// The longest wait for a connection, TLS included.
    public var connectTimeout: Duration
    /// Whether any certificate is accepted for this request.
    public var insecure: Bool

    /// Makes a request.
    public init(url: String, headers: HTTPFields, connectTimeout: Duration = .seconds(15), insecure: Bool = false) {
        self.url = url
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.insecure = insecure
    }
}
