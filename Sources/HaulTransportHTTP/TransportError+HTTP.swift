import AsyncHTTPClient
import HaulCore
import HaulLibC
import HaulTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension TransferOutcome {
    /// Creates the outcome for an error of the layers below, depending on the existence of a connection.
    init(
        _ error: any Error, isConnected: Bool, hint: String? = nil, proxy: ProxyUse? = nil,
        showsCertificate: Bool = false
    ) {
        switch error as? HTTPClientError {
        case .cancelled, .alreadyShutdown:
            self = .cancelled
        case _:
            var error = TransportError(error).knowing(showsCertificate: showsCertificate)
            if let hint, !isConnected, error.concernsConnecting {
                error = TransportError(error.kind, "\(hint): \(error.detail)", error.reason)
            }
            if let proxy, proxy.isBlamed(for: error, isConnected: isConnected) { error.proxy = proxy.name }
            // recv(2) reports a peer or a route that vanished with the same errors as connect(2), such as ETIMEDOUT and
            // EHOSTUNREACH.
            let isLost = isConnected && error.claimsNoConnection
            self = .failed(isLost ? TransportError(.cut, error.detail) : error)
        }
    }
}

extension TransportError {
    /// Creates an error for invalid first bytes of a response; nil if nothing is wrong so far.
    init?(_ start: ResponseStart) {
        switch start {
        case .possible: return nil
        case .tls: self.init(.badResponse, "it sent a TLS alert", .serverWithTLS)
        case .garbage: self.init(.badResponse, Self.noStatusLine)
        case .other(let text): self.init(.badResponse, "it sent \"\(text)\"", .serverWithoutHTTP)
        }
    }

    /// True if the error means that there was no connection.
    fileprivate var claimsNoConnection: Bool {
        switch kind {
        case .nameNotResolved, .refused, .connectTimedOut: true
        case .tooManyFiles, .badRequest, .unusable, .proxyNotAuthorized, .proxyRefused, .untrusted, .tls, .cut,
            .badResponse, .undecodable, .headTooLarge, .other:
            false
        }
    }

    /// True if the error occurred before the destination was reached.
    fileprivate var concernsConnecting: Bool {
        switch kind {
        case .nameNotResolved, .refused, .connectTimedOut, .cut, .other, .badResponse, .headTooLarge: true
        case .tooManyFiles, .badRequest, .unusable, .proxyNotAuthorized, .proxyRefused, .untrusted, .tls, .undecodable:
            false
        }
    }

    /// Creates an error from one of the layers below.
    ///
    /// It contains nothing from the URL or a header.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as TransportError: error
            case let error as StaleConnection: Self(error.cause)
            case let error as HTTPClientError: Self(client: error)
            case let error as NIOConnectionError: Self(connection: error)
            case let error as HTTPParserError: Self(parser: error)
            case let error as NIOSSLError: Self(tls: error)
            case let error as BoringSSLError: Self(boring: error)
            case let error as IOError: Self(errno: error.errnoCode)
            case let error as ChannelError: Self(channel: error)
            case is NIOSSLExtraError: Self(.untrusted, CertificateFacts.forOthers([]), .certificateForOtherHost)
            case is NIOHTTPDecoderError: Self(.badResponse, "an unexpected response")
            case is ByteToMessageDecoderError: Self(.badResponse, "the response is not HTTP")
            case is SocketAddressError.UnknownHost: HostLookup.unknownHost
            // The errors of NIOSOCKS are recognised only by their module's name: Haul does not import the module
            // itself.
            case _ where String(reflecting: type(of: error)).hasPrefix("NIOSOCKS."):
                Self(socks: error)
            // AsyncHTTPClient's handlers of SOCKS and TLS report this if the connection ends before they have finished.
            case _ where "\(type(of: error))" == "NoResult":
                Self(.cut, "the connection was closed before it could be used")
            case _: Self(.other, "\(type(of: error))")
            }
    }

    /// Creates an error from one of NIOSOCKS, by its name and text.
    ///
    /// Without credentials Haul offers only one method, so a proxy that accepts none of the offered methods (RFC 1928,
    /// section 3) requires credentials.
    private init(socks error: any Error) {
        switch "\(type(of: error))" {
        case "InvalidAuthenticationSelection", "NoValidAuthenticationMethod":
            self.init(.proxyNotAuthorized, "it requires a login", .proxyLoginNeeded)
        case "InvalidProtocolVersion": self.init(.proxyRefused, "is not a SOCKS 5 proxy")
        case "ConnectionFailed":
            let reply = "\(error)".matches(of: #/value: (\d+)/#).last.flatMap { UInt8($0.1) }
            self.init(.proxyRefused, "did not connect to the host: \(SOCKSReply.words(reply))")
        case let name: self.init(.proxyRefused, "violated the SOCKS protocol: \(name)")
        }
    }

    private init(client error: HTTPClientError) {
        self =
            switch error {
            case .remoteConnectionClosed: Self(.cut, "the server closed the connection")
            case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .socksHandshakeTimeout:
                Self(.connectTimedOut, Self.late)
            case .invalidURL, .emptyHost, .emptyScheme: Self(.badRequest, "the URL is not valid")
            case _: Self(client: error.shortDescription)
            }
    }

    /// Creates an error from those that cannot be compared, because they contain the offending text.
    private init(client description: String) {
        self =
            switch description {
            case "Unsupported scheme": Self(.badRequest, "the scheme must be http or https")
            case "Invalid header field names": Self(.badRequest, "invalid header name")
            case "Invalid header field values": Self(.badRequest, "invalid header value")
            case "Server offered unsupported application protocol": Self(.tls, "no common protocol over TLS")
            case _: Self(.other, description)
            }
    }

    private init(connection error: NIOConnectionError) {
        guard !error.connectionErrors.isEmpty else {
            // The resolver needs a file, and reports the lack of one as a lack of addresses.
            let lacksFiles = Self.lacksFiles()
            self.init(
                lacksFiles ? .tooManyFiles : .nameNotResolved,
                lacksFiles ? Self.message(errno: EMFILE) : "the host has no address")
            return
        }
        // One per address. A refusal is more informative than a route that this machine lacks (often IPv6).
        let causes = error.connectionErrors.map { Self($0.error) }
        self = causes.first { $0.kind != .connectTimedOut } ?? causes[0]
    }

    private init(parser error: HTTPParserError) {
        self =
            switch error {
            case .invalidEOFState, .closedConnection:
                Self(.cut, "the connection was closed before the end of the response")
            case .headerOverflow: Self(.headTooLarge, "limit: 80 KiB for a field")
            case .invalidChunkSize: Self(.badResponse, "a chunk size is malformed")
            case .invalidContentLength, .unexpectedContentLength:
                Self(.badResponse, "its Content-Length is invalid or contradicts its framing")
            case .invalidStatus: Self(.badResponse, "its status line is malformed")
            case .invalidVersion: Self(.badResponse, "its HTTP version is unknown")
            case _: Self(.badResponse, "it violates the syntax of HTTP")
            }
    }

    private init(tls error: NIOSSLError) {
        self =
            switch error {
            case .handshakeFailed(let cause), .shutdownFailed(let cause): Self(boring: cause)
            case .uncleanShutdown: Self(.cut, "the connection was closed without the end of TLS")
            case .noCertificateToValidate, .unableToValidateCertificate:
                Self(.untrusted, "is not trusted")
            case _: Self(.tls, "\(error)")
            }
    }

    private init(boring error: BoringSSLError) {
        switch error {
        case .sslError(let stack) where stack.contains(.eofDuringHandshake):
            self.init(.cut, "the server closed the connection during the TLS handshake")
        case .sslError(let stack):
            // BoringSSL's code is not accessible, only its text.
            let text = stack.map(\.description).joined(separator: ", ")
            self =
                text.contains("CERTIFICATE_VERIFY_FAILED")
                ? Self(.untrusted, "is not trusted") : Self(tlsReason: Self.reason(text))
        case .syscallError, .zeroReturn:
            self.init(.cut, "the connection ended during the TLS handshake")
        case _:
            self.init(.tls, "\(error)")
        }
    }

    /// Returns the reason in BoringSSL's text, which has the form `Error: 268435703 error:100000f7:SSL
    /// routines:OPENSSL_internal:WRONG_VERSION_NUMBER at /path/tls_record.cc:127`.
    static func reason(_ text: String) -> String {
        guard let mark = text.ranges(of: "OPENSSL_internal:").last else { return "" }
        return String(text[mark.upperBound...].prefix { $0 != " " })
    }

    private static let late = "no connection within the time allowed"

    private init(channel error: ChannelError) {
        switch error {
        case .connectTimeout: self.init(.connectTimedOut, Self.late)
        case .eof, .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed:
            self.init(.cut, "the server closed the connection")
        case _: self.init(.other, "\(error)")
        }
    }

    /// Creates an error from errno(3), as set by connect(2) and recv(2).
    private init(errno code: CInt) {
        let kind: Kind =
            switch code {
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: .refused
            case ETIMEDOUT: .connectTimedOut
            case EADDRNOTAVAIL, EAFNOSUPPORT: .refused
            case EMFILE, ENFILE: .tooManyFiles
            case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: .cut
            case _: .other
            }
        self.init(kind, code == ECONNREFUSED ? Self.refusal : Self.message(errno: code))
    }

    /// Returns true if no file can be opened now.
    private static func lacksFiles() -> Bool {
        // Unsafe: the path is a constant.
        let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno == EMFILE || errno == ENFILE }
        close(file)
        return false
    }

    private static func message(errno code: CInt) -> String {
        // strerror returns a static or thread-local C string, which is copied at once.
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
