import CHaulCurl
import HaulTransport

/// How a transfer of libcurl's ended that did not end well.
struct CurlFailure: Hashable {
    /// The code; nil: one that has no meaning of its own here.
    var code: CurlCode?
    /// Its number.
    var number: Int32
    /// What libcurl wrote: only looked at, never handed on, since it holds names.
    var text = ""
    /// What a SOCKS proxy said (CURLINFO_PROXY_ERROR(3)).
    var proxyError: Int64?
    /// The status of the proxy's answer to `CONNECT`.
    var connectStatus: Int64?
    /// Whether the connection stood and the question was on its way.
    var isReady = false
    /// Whether SSH is spoken.
    var isSSH = false
}

extension TransportError {
    /// What a failure means.
    init(_ failure: CurlFailure) {
        if let status = failure.connectStatus, status >= 400 {
            self.init(status == 407 ? .proxyNotAuthorized : .proxyRefused, "the proxy answers CONNECT with \(status)")
            return
        }
        guard let code = failure.code else {
            self.init(.other, "libcurl gave up with its code \(failure.number)")
            return
        }
        switch code {
        // One code for a scheme that libcurl lacks and for a first line that is not HTTP. Only the latter needs a connection, but that to
        // a proxy does not count as ready yet.
        case .unsupportedProtocol
        where failure.isReady || failure.text.contains("HTTP/") || failure.text.contains("HTTP version"):
            self.init(.badResponse, "the response is not HTTP")
        case .unsupportedProtocol, .notBuiltIn:
            self.init(.unusable, "the installed libcurl can't do what the request needs")
        case .urlMalformed: self.init(.badRequest, "the URL can't be requested")
        case .hostNotResolved: self.init(.nameNotResolved, "the host has no address")
        case .proxyNotResolved: self.init(.nameNotResolved, "the proxy has no address")
        case .couldNotConnect: self.init(.refused, "no address of the host accepts the connection")
        case .interfaceFailed:
            self.init(.unusable, "this machine can't send from the local address or interface that was asked for")
        case .timedOut, .ftpAcceptTimeout:
            self.init(
                failure.isReady ? .cut : .connectTimedOut,
                failure.isReady ? "no answer in time" : "no connection in time")
        case .gotNothing, .partialFile, .sendError, .ftpWeirdPassiveReply, .ftpCouldNotRetrieve:
            self.init(.cut, "the server closed the connection before the end")
        case .receiveError: self = Self.broken(failure)
        case .weirdServerReply, .ftpCouldNotSetType:
            self.init(.badResponse, "the answer is not what the protocol knows")
        case .tlsConnect, .cipher: self = Self.handshake(failure)
        case .tlsUnavailable: self.init(.tls, "the server has no TLS")
        case .peerNotVerified where failure.isSSH:
            self.init(
                .untrusted, "the server's key is not the one in ~/.ssh/known_hosts, or not there: connect once with ssh"
            )
        case .peerNotVerified: self.init(.untrusted, "the certificate is not trusted")
        case .certificateProblem:
            self.init(
                .unusable,
                "the client certificate or its key can't be used: PEM files are needed, the key without a passphrase")
        case .authoritiesUnreadable: self.init(.unusable, "the file of trusted certificates can't be read")
        case .clientCertificateWanted: self.init(.tls, "the server wants a client certificate")
        case .proxy where Self.proxyRefusals.contains(failure.proxyError ?? 0):
            self.init(.proxyNotAuthorized, "the SOCKS proxy does not accept who asks")
        case .proxy: self.init(.proxyRefused, "the SOCKS proxy makes no connection")
        case .failedInit, .ssh: self.init(.cut, "the connection broke while SSH was being set up, or on it")
        case .tooLarge: self.init(.headTooLarge, "more than libcurl reads")
        case .authentication: self.init(.other, "signing in failed on this machine")
        case .outOfMemory: self.init(.other, "no memory")
        case .ok, .remoteAccessDenied, .writeError, .ftpCouldNotRestart, .badResume, .tooManyRedirects,
            .badContentEncoding,
            .loginDenied, .remoteFileNotFound:
            self.init(.other, "libcurl gave up with its code \(failure.number)")
        }
    }

    private static let proxyRefusals: Set<Int64> = [
        Int64(haul_curl_proxy_user_rejected), Int64(haul_curl_proxy_identd_differs), Int64(haul_curl_proxy_no_method),
    ]

    /// One code for a reset and for a body whose framing makes no sense.
    private static func broken(_ failure: CurlFailure) -> Self {
        let text = failure.text.lowercased()
        if text.contains("chunk") || text.contains("hexadecimal") {
            return Self(.badResponse, "the body's framing makes no sense")
        }
        if text.contains("too large response header") { return Self(.headTooLarge, "more than libcurl reads") }
        return Self(.cut, "the connection was reset")
    }

    /// One code for a server that went away and one that speaks no TLS.
    private static func handshake(_ failure: CurlFailure) -> Self {
        let text = failure.text.lowercased()
        if ["ssl_error_syscall", "unexpected eof", "connection reset", "ssl_error_zero_return"].contains(
            where: text.contains)
        {
            return Self(.cut, "the connection ended during the TLS handshake")
        }
        // OpenSSL's own words, "error:0A00010B:SSL routines::wrong version number", name nobody.
        let reason = text.firstRange(of: "error:").map { text[$0.lowerBound...].prefix(120) } ?? ""
        return Self(.tls, reason.isEmpty ? "TLS failed" : "TLS failed: \(reason)")
    }
}
