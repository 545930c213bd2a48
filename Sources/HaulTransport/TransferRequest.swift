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
    /// The proxy that it goes through; nil: none, whatever the environment says.
    public var proxy: Proxy?
    /// Who asks, where a header can't say it: for digest, NTLM and Negotiate, and for FTP and SFTP.
    public var authentication: Authentication?
    /// The certificate that is shown to a server that asks for one.
    public var clientCertificate: ClientCertificate?
    /// The address, or the name of the network interface, that it is sent from; nil: the system chooses.
    public var localAddress: String?
    /// Whether a body with a content coding is wanted as it is sent; otherwise gzip and deflate are taken off.
    public var keepsContentCoding = false
    /// Whether only public addresses are connected to; else the transfer fails with `unusable`.
    public var publicAddressesOnly = false
    /// How many bytes one read of the network may bring at most; asked before each, on the transport's thread; nil: as it likes.
    ///
    /// A slow rate limit is smooth only with small reads. A transport that can't heed it leaves it alone.
    public var largestRead: (@Sendable () -> Int)?

    /// Whether it runs on the lane that it is started from, if it is: between the two nothing has to wake a thread then.
    public var staysOnEventLoop = false

    /// Whether the answer is likely to be a small file and nothing more, one of many: a transport may have leaner means for those.
    public var expectsSmall = false

    /// Makes a request.
    public init(url: String, headers: HTTPFields, connectTimeout: Duration = .seconds(15), insecure: Bool = false) {
        self.url = url
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.insecure = insecure
    }
}
