import HaulTransport
import Testing

@testable import HaulTransportCurl

@Suite struct CurlFailureTests {
    /// libcurl's texts name hosts and paths: none of them gets through.
    @Test(arguments: CurlCode.allCases)
    func everyCodeHasAWordAndKeepsSecrets(code: CurlCode) {
        for (isReady, isSSH) in [(false, false), (true, false), (false, true), (true, true)] {
            let error = TransportError(
                CurlFailure(
                    code: code, number: code.rawValue, text: "Could not reach secret.example", isReady: isReady,
                    isSSH: isSSH))
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

    @Test func anUnknownCodeIsNamedByItsNumber() {
        #expect(TransportError(CurlFailure(code: nil, number: 4711)).detail.contains("4711"))
    }

    @Test func connectTimeoutsEndWithTheConnection() {
        #expect(TransportError(CurlFailure(code: .timedOut, number: 28)).kind == .connectTimedOut)
        #expect(TransportError(CurlFailure(code: .timedOut, number: 28, isReady: true)).kind == .cut)
    }
}
