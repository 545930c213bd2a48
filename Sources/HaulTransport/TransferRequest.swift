public import HTTPTypes

/// A request with everything that the transport needs to send it.
public struct TransferRequest: Sendable {
    /// An absolute URL without user name, password and fragment.
    public var url: String
    /// The method, in capitals; anything but `GET` is used with http and https only.
    public var method = "GET"
    /// The body, whose length is sent as `Content-Length`; nil for none.
    public var body: [UInt8]?
    /// All headers to send except `Host` and those that frame the body, which the transport adds.
    public var headers: HTTPFields
    /// The longest wait for a connection, including TLS.
    public var timeToConnect: Duration
    /// True if any certificate is accepted for this request.
    public var insecure: Bool
    /// The proxy to use; nil for none, whatever the environment says.
    public var proxy: Proxy?
    /// The authentication that a header cannot express: for digest, NTLM and Negotiate, and for FTP and SFTP.
    public var authentication: Authentication?
    /// The certificate that is presented to a server that requests one.
    public var clientCertificate: ClientCertificate?
    /// The local address, or the name of the network interface, to send from; nil if the system chooses.
    public var localAddress: String?
    /// True if a body with a content coding is delivered as it is sent; otherwise gzip and deflate are decoded.
    public var keepsContentCoding = false
    /// True if only connections to public addresses are allowed; otherwise the transfer fails with `unusable`.
    public var publicAddressesOnly = false
    /// Returns the maximum number of bytes of one network read.
    ///
    /// It is called before each read, on the transport's thread; nil for no limit.
    ///
    /// A low rate limit is smooth only with small reads. A transport that cannot apply the limit ignores it.
    public var largestRead: (@Sendable () -> Int)?

    /// True if the transfer runs on the event loop that it is started from, if there is one, so that no thread must be
    /// woken between the two.
    public var staysOnEventLoop = false

    /// Creates a request.
    public init(url: String, headers: HTTPFields, timeToConnect: Duration = .seconds(15), insecure: Bool = false) {
        self.url = url
        self.headers = headers
        self.timeToConnect = timeToConnect
        self.insecure = insecure
    }
}
