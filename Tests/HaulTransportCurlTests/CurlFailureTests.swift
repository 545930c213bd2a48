import CHaulCurl
import HaulCore
import HaulTransport
import Testing

@testable import HaulTransportCurl

@Suite struct CurlFailureTests {
    /// libcurl's texts name hosts and paths: none of them gets through.
    @Test(arguments: CurlCode.allCases)
    func everyCodeHasAWordAndKeepsSecrets(code: CurlCode) {
        for (isReady, key) in [
            (false, nil), (true, nil), (false, haul_curl_key_unknown), (true, haul_curl_key_changed),
        ] {
            let error = TransportError(
                CurlFailure(
                    code: code, number: code.rawValue, text: "Could not reach secret.example", isReady: isReady,
                    hostKey: key))
            #expect(!error.detail.isEmpty && error.detail.utf8.count < 200)
            #expect(!error.detail.contains("secret"))
        }
    }

    @Test(
        arguments: [
            (.receiveError, "Recv failure: Connection reset by peer", .cut),
            (.receiveError, "Illegal or missing hexadecimal sequence in chunked-encoding", .badResponse),
            (.receiveError, "Too large response headers: 307201 > 307200", .headTooLarge),
            (.tlsConnect, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", .cut),
            (.tlsConnect, "error:0A000126:SSL routines::unexpected eof while reading", .cut),
            (.tlsConnect, "error:0A00010B:SSL routines::wrong version number", .tls),
            (.unsupportedProtocol, "Received HTTP/0.9 when not allowed", .badResponse),
            (.unsupportedProtocol, "Protocol \"x\" not supported", .unusable),
        ] as [(CurlCode, String, TransportError.Kind)])
    func textTellsApart(code: CurlCode, text: String, kind: TransportError.Kind) {
        #expect(TransportError(CurlFailure(code: code, number: code.rawValue, text: text)).kind == kind)
    }

    /// The text may be that of an earlier failure of the same transfer, or none.
    @Test func whatIsNotHTTPOnAConnectionIsNoFaultOfLibcurl() {
        let failure = CurlFailure(code: .unsupportedProtocol, number: 1, text: "", isReady: true)
        #expect(TransportError(failure).kind == .badResponse)
    }

    @Test func proxies() {
        #expect(TransportError(CurlFailure(code: .proxy, number: 97, proxyError: 33)).kind == .proxyNotAuthorized)
        #expect(TransportError(CurlFailure(code: .proxy, number: 97, proxyError: 19)).kind == .proxyRefused)
        #expect(
            TransportError(CurlFailure(code: .receiveError, number: 56, connectStatus: 407)).kind == .proxyNotAuthorized
        )
        #expect(TransportError(CurlFailure(code: .receiveError, number: 56, connectStatus: 503)).kind == .proxyRefused)
        #expect(TransportError(CurlFailure(code: .receiveError, number: 56, connectStatus: 200)).kind == .cut)
    }

    @Test(
        "after an FTP server has replied, the failure is not that nobody is there",
        arguments: [
            (.couldNotConnect, "the data connection was refused"), (.timedOut, "no response in time"),
            (.ftpWeirdPassiveReply, "the server named no port for the data connection"),
            (.ftpWeirdPassiveAddress, "the server named no port for the data connection"),
        ] as [(CurlCode, String)])
    func afterAReply(code: CurlCode, words: String) {
        let error = TransportError(CurlFailure(code: code, number: code.rawValue, hasReplied: true))
        #expect(error.kind == .cut && error.detail == words)
    }

    @Test func anUnknownCodeIsNamedByItsNumber() {
        #expect(TransportError(CurlFailure(code: nil, number: 4711)).detail.contains("4711"))
    }

    @Test(
        "certificates, host keys and client certificates",
        arguments: [
            (.peerNotVerified, "SSL certificate problem: certificate has expired", .certificateExpired),
            (.peerNotVerified, "SSL certificate problem: certificate is not yet valid", .certificateNotYetValid),
            (.peerNotVerified, "SSL certificate problem: self-signed certificate", .certificateSelfSigned),
            (.peerNotVerified, "SSL certificate problem: self signed certificate", .certificateSelfSigned),
            (
                .peerNotVerified, "SSL certificate problem: self-signed certificate in certificate chain",
                .certificateAuthorityUnknown
            ),
            (
                .peerNotVerified, "SSL certificate problem: unable to get local issuer certificate",
                .certificateAuthorityUnknown
            ),
            (
                .peerNotVerified, "SSL: no alternative certificate subject name matches target host name 'h'",
                .certificateForOtherHost
            ),
            (.peerNotVerified, "server certificate verification failed. CAfile: x CRLfile: none", nil),
            (.clientCertificateWanted, "tlsv13 alert certificate required, errno 0", .clientCertificateMissing),
            (
                .receiveError,
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                .clientCertificateMissing
            ),
            (
                .tlsConnect, "error:0A000410:SSL routines::sslv3 alert handshake failure", .handshakeRefused
            ),
            (.tlsConnect, "error:0A00010B:SSL routines::wrong version number", .serverWithoutTLS),
            (.tlsConnect, "error:1408F10B:SSL routines:ssl3_get_record:wrong version number", .serverWithoutTLS),
            (.tlsConnect, "gnutls_handshake() failed: An unexpected TLS packet was received.", .serverWithoutTLS),
            (.tlsUnavailable, "", .serverWithoutTLS),
        ] as [(CurlCode, String, DownloadError.Detail?)])
    func reasons(code: CurlCode, text: String, reason: DownloadError.Detail?) {
        let error = TransportError(CurlFailure(code: code, number: code.rawValue, text: text))
        #expect(error.reason == reason, "\(error)")
        #expect(!error.detail.contains("error:") && !error.detail.contains("routines"))
    }

    @Test("an unknown and a changed host key are told apart, and the names of a certificate are shown")
    func keysAndNames() {
        var failure = CurlFailure(code: .peerNotVerified, number: 60)
        failure.hostKey = haul_curl_key_changed
        #expect(TransportError(failure).reason == .hostKeyChanged)
        for key in [haul_curl_key_unknown, haul_curl_key_not_seen] {
            failure.hostKey = key
            #expect(TransportError(failure).reason == .hostKeyUnknown)
        }
        failure.hostKey = nil
        failure.text = "no alternative certificate subject name matches"
        failure.certificateNames = ["a.test", "127.0.0.2"]
        #expect(TransportError(failure).detail == "is for a.test, 127.0.0.2, not for this host")
    }

    @Test("what is the proxy's")
    func atTheProxy() {
        var failure = CurlFailure(
            code: .tlsConnect, number: 35, text: "error:0A00010B:SSL routines::wrong version number")
        failure.proxy = Proxy(.https, host: "p", port: 1)
        #expect(TransportError(failure).proxy == "https://p:1")
        failure.connectStatus = 200
        #expect(TransportError(failure).proxy == nil)
        failure.proxy = Proxy(.socks4, host: "p.test", port: 1)
        failure.code = .hostNotResolved
        #expect(TransportError(failure).proxy == nil)
        failure.text = "Could not resolve host: p.test"
        #expect(TransportError(failure).proxy == "socks4://p.test:1")
        (failure.code, failure.proxyError, failure.connectStatus) = (.proxy, 2, nil)
        #expect(TransportError(failure).detail == "is not a SOCKS 4 proxy")
        failure.proxyError = 23
        #expect(TransportError(failure).detail == "did not connect to the host: not allowed")
    }

    @Test func connectTimeoutsEndWithTheConnection() {
        #expect(TransportError(CurlFailure(code: .timedOut, number: 28)).kind == .connectTimedOut)
        #expect(TransportError(CurlFailure(code: .timedOut, number: 28, isReady: true)).kind == .cut)
    }
}
