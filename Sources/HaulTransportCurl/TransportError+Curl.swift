import CHaulCurl
import HaulCore
import HaulLibC
import HaulTransport

/// The failure of a libcurl transfer.
struct CurlFailure: Hashable {
    /// The code; nil if it is not distinguished here.
    var code: CurlCode?
    /// The number of the code.
    var number: Int32
    /// libcurl's message.
    ///
    /// It is only inspected and never shown, because it contains names.
    var text = ""
    /// The error that a SOCKS proxy reported (CURLINFO_PROXY_ERROR(3)).
    var proxyError: Int64?
    /// The status of the proxy's response to `CONNECT`.
    var connectStatus: Int64?
    /// True if the connection was established and the request was being sent.
    var isReady = false
    /// True if an FTP server has replied.
    var hasReplied = false
    /// The result of checking the host key; nil if SSH is not used.
    var hostKey: haul_curl_host_key?
    /// The names in the server's certificate, as far as they are known.
    var certificateNames: [String] = []
    /// True if a client certificate is presented to a server that requests one.
    var showsCertificate = false
    /// The proxy that the transfer uses.
    var proxy: Proxy?
    /// The time limit for connecting.
    var timeLimit: Duration?
    /// The number of the system's last error, 0 for none.
    var errno: Int32 = 0

    /// True if a TLS failure is the proxy's, with which TLS is used before the origin is reached.
    var isTLSOfProxy: Bool { proxy?.scheme == .https && connectStatus ?? 0 == 0 }
}

extension CurlFailure {
    /// The facts that the request determines.
    init(_ code: CurlCode?, _ number: Int32, of request: TransferRequest) {
        self.init(code: code, number: number)
        proxy = request.proxy
        timeLimit = request.timeToConnect
        showsCertificate = request.clientCertificate != nil
    }
}

extension TransportError {
    /// Creates an error for a failure, and determines whether it is the proxy's.
    init(_ failure: CurlFailure) {
        self = TransportError(ofAnyHost: failure).knowing(showsCertificate: failure.showsCertificate)
        guard let proxy = failure.proxy else { return }
        switch kind {
        case .proxyNotAuthorized, .proxyRefused, .refused, .connectTimedOut: self.proxy = proxy.description
        // For a SOCKS proxy, libcurl has one code for its name and that of the host.
        case .nameNotResolved where failure.code == .proxyNotResolved || failure.text.hasSuffix(" \(proxy.host)"):
            self.proxy = proxy.description
        case .untrusted where failure.isTLSOfProxy, .tls where failure.isTLSOfProxy: self.proxy = proxy.description
        case .badResponse where reason != nil && proxy.scheme.forwards: self.proxy = proxy.description
        default: break
        }
    }

    private init(ofAnyHost failure: CurlFailure) {
        if let status = failure.connectStatus, status >= 400 {
            self =
                status == 407
                ? Self.proxyLogin(failure)
                : Self(.proxyRefused, "did not connect to the host: it returned \(statusLine(Int(status)))")
            return
        }
        guard let code = failure.code else {
            self.init(.other, "libcurl failed with error \(failure.number)")
            return
        }
        switch code {
        // Another protocol, or a broken response: libcurl does not say which.
        case .unsupportedProtocol where failure.text.contains("HTTP/0.9"):
            self.init(.badResponse, "it does not begin with a status line")
        // One code for a scheme that libcurl lacks and for a first line that is not HTTP. Only the latter needs a
        // connection, but one to a proxy does not count as ready yet.
        case .unsupportedProtocol
        where failure.isReady || failure.text.contains("HTTP/") || failure.text.contains("HTTP version"):
            self.init(.badResponse, "the response is not HTTP")
        case .unsupportedProtocol, .notBuiltIn:
            self.init(.unusable, "the installed libcurl does not support this request")
        case .urlMalformed: self.init(.badRequest, "the URL is not valid")
        case .hostNotResolved: self.init(.nameNotResolved, "the host has no address")
        case .proxyNotResolved: self.init(.nameNotResolved, "the proxy has no address")
        case .couldNotConnect where failure.hasReplied: self.init(.cut, "the data connection was refused")
        case .couldNotConnect: self.init(.refused, Self.refusal(failure))
        case .interfaceFailed:
            self.init(.unusable, "this machine can't connect from the given local address or interface")
        case .timedOut, .ftpAcceptTimeout:
            let isReached = failure.isReady || failure.hasReplied
            self.init(
                isReached ? .cut : .connectTimedOut,
                isReached
                    ? "no response in time"
                    : "no connection within \(failure.timeLimit?.inWords ?? "the time allowed")")
        case .ftpWeirdPassiveReply, .ftpWeirdPassiveAddress:
            self.init(.cut, "the server named no port for the data connection")
        case .gotNothing, .partialFile, .sendError, .ftpCouldNotRetrieve:
            self.init(.cut, "the server closed the connection before the end")
        case .receiveError: self = Self.broken(failure)
        case .weirdServerReply, .ftpCouldNotSetType:
            self.init(.badResponse, "the response is not valid in this protocol")
        case .tlsConnect, .cipher: self = Self.handshake(failure)
        case .tlsUnavailable: self.init(.tls, "does not offer TLS", .serverWithoutTLS)
        case .peerNotVerified: self = Self.untrusted(failure)
        case .certificateProblem:
            self.init(
                .unusable,
                "can't use the client certificate or its key: expected PEM files, the key without a passphrase")
        case .authoritiesUnreadable: self.init(.unusable, "can't read the file of trusted certificates")
        case .clientCertificateWanted: self.init(tlsReason: "certificate required")
        case .proxy where Self.proxyRefusals.contains(failure.proxyError ?? 0): self = Self.proxyLogin(failure)
        case .proxy: self.init(.proxyRefused, Self.socks(failure))
        // Also if the server has no key of the known type.
        case .failedInit where failure.text.contains("exchange encryption keys"):
            self.init(
                .cut, "no common SSH algorithm, or the host key is of another type than in ~/.ssh/known_hosts")
        case .failedInit: self.init(.cut, "the SSH connection was lost")
        case .ssh: self.init(.cut, "the SSH connection was lost, or the path is that of a folder")
        // Versions before 8.5 report it as out of memory (CURL_MAX_HTTP_HEADER).
        case .tooLarge,
            .outOfMemory where failure.isReady:
            self.init(.headTooLarge, "limit: 100 KiB for a field")
        case .authentication: self.init(.other, "authentication failed on this machine")
        case .outOfMemory: self.init(.other, "no memory")
        case .ok, .remoteAccessDenied, .writeError, .ftpCouldNotRestart, .badResume, .tooManyRedirects,
            .badContentEncoding,
            .loginDenied, .remoteFileNotFound:
            self.init(.other, "libcurl failed with error \(failure.number)")
        }
    }

    private static let proxyRefusals: Set<Int64> = [
        Int64(haul_curl_proxy_user_rejected), Int64(haul_curl_proxy_identd_differs), Int64(haul_curl_proxy_no_method),
    ]

    private static func proxyLogin(_ failure: CurlFailure) -> Self {
        let hasLogin = failure.proxy?.credentials != nil
        return Self(.proxyNotAuthorized, "no login", hasLogin ? .proxyLoginRefused : .proxyLoginNeeded)
    }

    /// Returns the action of a SOCKS proxy (CURLINFO_PROXY_ERROR(3)).
    private static func socks(_ failure: CurlFailure) -> String {
        let error = failure.proxyError ?? -1
        let replies: [Int64: UInt8] = [17: 8, 18: 7, 19: 5, 20: 1, 21: 4, 22: 3, 23: 2, 24: 6]
        return switch error {
        case 2, 32: "is not a SOCKS \(failure.proxy?.scheme.isSOCKS4 == true ? 4 : 5) proxy"
        case 3, 13...16: "closed the connection"
        case 26: "did not connect to the host"
        case 27: "was not used: can't resolve the host name"
        case _: "did not connect to the host: \(SOCKSReply.words(replies[error]))"
        }
    }

    /// Returns the system's message, if it is known.
    private static func refusal(_ failure: CurlFailure) -> String {
        guard failure.errno != 0, failure.errno != ECONNREFUSED, let text = unsafe strerror(failure.errno) else {
            return refusal
        }
        // strerror returns a static or thread-local C string, which is copied at once.
        return unsafe String(cString: text)
    }

    /// Distinguishes a reset from a body with invalid framing, which have the same code.
    private static func broken(_ failure: CurlFailure) -> Self {
        let text = failure.text.lowercased()
        // An alert of TLS 1.3 comes after the handshake.
        if text.contains("alert") || text.contains("certificate is required") { return Self(tlsReason: reason(text)) }
        if text.contains("chunk") || text.contains("hexadecimal") {
            return Self(.badResponse, "the framing of the body is invalid")
        }
        // "Too large response headers: 307201 > 307200"
        if text.contains("too large response header") {
            let limit = text.split(separator: ">").last.flatMap { Int64($0.filter(\.isNumber)) }
            return Self(.headTooLarge, "limit: \((limit ?? 300 << 10) >> 10) KiB")
        }
        return Self(.cut, "the connection was reset")
    }

    /// Distinguishes a server that closed the connection from one without TLS, which have the same code.
    private static func handshake(_ failure: CurlFailure) -> Self {
        let text = failure.text.lowercased()
        if ["ssl_error_syscall", "unexpected eof", "connection reset", "ssl_error_zero_return"].contains(
            where: text.contains)
        {
            return Self(.cut, "the connection ended during the TLS handshake")
        }
        return Self(tlsReason: reason(text))
    }

    /// Returns the reason in `error:0A00010B:SSL routines::wrong version number` (OpenSSL; it may be followed by `,
    /// errno 0`), or in `gnutls_handshake() failed: Certificate is required.`.
    ///
    /// Neither contains names.
    private static func reason(_ text: String) -> String {
        if let routines = text.firstRange(of: "ssl routines:") {
            let words = text[routines.upperBound...].split(separator: ":").last ?? ""
            return String(words.prefix { $0 != "," }.prefix(80))
        }
        guard text.contains("gnutls"), let end = text.lastIndex(of: ":") else { return "" }
        return String(text[end...].dropFirst(2).prefix(80))
    }

    /// Returns an error with the reason why a certificate or a host key was not accepted, based on the text of the TLS
    /// library.
    private static func untrusted(_ failure: CurlFailure) -> Self {
        switch failure.hostKey {
        case haul_curl_key_changed?:
            return Self(.untrusted, "has changed: it is not the one in ~/.ssh/known_hosts", .hostKeyChanged)
        case _?: return Self(.untrusted, "is not known: it is not in ~/.ssh/known_hosts", .hostKeyUnknown)
        case nil: break
        }
        let text = failure.text.lowercased()
        func has(_ texts: String...) -> Bool { texts.contains(where: text.contains) }
        if has("does not match", "no alternative certificate subject", "not match target") {
            return Self(
                .untrusted, CertificateFacts.forOthers(failure.certificateNames), .certificateForOtherHost)
        }
        if has("has expired", "expiration date has passed") {
            return Self(.untrusted, "has expired", .certificateExpired)
        }
        if has("not yet valid", "not activated") {
            return Self(.untrusted, "is not valid yet", .certificateNotYetValid)
        }
        if has("certificate chain", "issuer certificate", "first certificate") {
            return Self(
                .untrusted, "was issued by an authority that is not trusted", .certificateAuthorityUnknown)
        }
        if has("self-signed", "self signed") { return Self(.untrusted, "is self-signed", .certificateSelfSigned) }
        return Self(.untrusted, "is not trusted")
    }
}
