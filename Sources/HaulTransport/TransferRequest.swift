package import HTTPTypes

/// A GET request with everything that the transport needs to send it.
package struct TransferRequest: Sendable {
    /// An absolute URL without user name, password and fragment.
    package var url: String
    /// All headers to send except `Host`, which the transport adds.
    package var headers: HTTPFields
    /// The longest wait for a connection, including TLS.
    package var connectTimeout: Duration
    /// True if any certificate is accepted for this request.
    package var insecure: Bool
    /// The proxy to use; nil for none, whatever the environment says.
    package var proxy: Proxy?
    /// The authentication that a header cannot express: for digest, NTLM and Negotiate, and for FTP and SFTP.
    package var authentication: Authentication?
    /// The certificate that is presented to a server that requests one.
    package var clientCertificate: ClientCertificate?
    /// The local address, or the name of the network interface, to send from; nil if the system chooses.
    package var localAddress: String?
    /// True if a body with a content coding is delivered as it is sent; otherwise gzip and deflate are decoded.
    package var keepsContentCoding = false
    /// True if only connections to public addresses are allowed; otherwise the transfer fails with `unusable`.
    package var publicAddressesOnly = false
    /// Returns the maximum number of bytes of one network read.
    ///
    /// It is called before each read, on the transport's thread; nil for no limit.
    ///
    /// A low rate limit is smooth only with small reads. A transport that cannot apply the limit ignores it.
    package var largestRead: (@Sendable () -> Int)?

    /// True if the transfer runs on the event loop that it is started from, if there is one, so that no thread must be
    /// woken between the two.
    package var staysOnEventLoop = false

    /// Creates a request.
    package init(url: String, headers: HTTPFields, connectTimeout: Duration = .seconds(15), insecure: Bool = false) {
        self.url = url
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.insecure = insecure
    }
}
