import Haul
import HaulCore
import HaulTransport
import Testing

@testable import HaulEngine

@Suite("Failures of the transports in words")
struct TransportErrorTextTests {
    private static let targetPath = "http://p:3128"

    @Test(
        "at the server",
        arguments: [
            (
                TransportError(.refused, TransportError.refusal),
                "connection refused: is the server running, and is the port right?"
            ),
            (TransportError(.refused, "No route to host"), "can't connect: No route to host"),
            (TransportError(.nameNotResolved, "x"), "can't resolve the host name: check the URL and the network"),
            (TransportError(.connectTimedOut, "no connection within 15 s"), "no connection within 15 s"),
            (
                TransportError(.badResponse, "it sent \"SSH-2.0\"", .serverWithoutHTTP),
                "not an HTTP server: it sent \"SSH-2.0\""
            ),
            (TransportError(.badResponse, "x", .serverWithTLS), "the server expects TLS at this port"),
            (TransportError(.badResponse, "two lengths"), "invalid response (two lengths)"),
            (TransportError(.headTooLarge, "limit: 1 MiB"), "response headers too large (limit: 1 MiB)"),
            (TransportError(.cut, "it was reset"), "the connection was lost (it was reset)"),
        ] as [(TransportError, String)])
    func server(error: TransportError, text: String) {
        #expect(DownloadError(error).description == text)
        #expect(!text.contains("--"))
    }

    @Test(
        "at a proxy",
        arguments: [
            (
                TransportError(.refused, TransportError.refusal, proxy: targetPath),
                "the proxy http://p:3128 refused the connection", .proxyFailed
            ),
            (
                TransportError(.refused, "No route to host", proxy: targetPath),
                "can't connect to the proxy http://p:3128: No route to host", .proxyFailed
            ),
            (
                TransportError(.nameNotResolved, "x", proxy: targetPath),
                "can't resolve the name of the proxy http://p:3128", .proxyFailed
            ),
            (
                TransportError(.connectTimedOut, "no connection within 15 s", proxy: targetPath),
                "no connection within 15 s through the proxy http://p:3128", .slowToConnect
            ),
            (
                TransportError(
                    .proxyRefused, "did not connect to the host: it returned 403 Forbidden", proxy: targetPath),
                "the proxy http://p:3128 did not connect to the host: it returned 403 Forbidden", .proxyFailed
            ),
            (
                TransportError(.proxyNotAuthorized, "x", .proxyLoginNeeded, proxy: targetPath),
                "the proxy http://p:3128 requires a user name and a password", .proxyLoginNeeded
            ),
            (
                TransportError(.proxyNotAuthorized, "x", .proxyLoginRefused, proxy: targetPath),
                "the proxy http://p:3128 refused the user name or password", .proxyLoginRefused
            ),
            (
                TransportError(.badResponse, "it sent \"SSH-2.0\"", .serverWithoutHTTP, proxy: targetPath),
                "the proxy http://p:3128 is not an HTTP proxy: it sent \"SSH-2.0\"", .proxyFailed
            ),
            (
                TransportError(.badResponse, "x", .serverWithTLS, proxy: targetPath),
                "the proxy http://p:3128 expects TLS",
                .proxyFailed
            ),
            (
                TransportError(.cut, "x", proxy: targetPath), "the proxy http://p:3128 closed the connection",
                .proxyFailed
            ),
        ] as [(TransportError, String, DownloadError.Detail)])
    func proxy(error: TransportError, text: String, detail: DownloadError.Detail) {
        #expect(DownloadError(error).description == text)
        #expect(DownloadError(error).detail == detail)
    }

    @Test("every kind has words for a server and a proxy, without options", arguments: TransportError.Kind.allCases)
    func allKinds(kind: TransportError.Kind) {
        for proxy in [nil, Self.targetPath] {
            let error = DownloadError(TransportError(kind, "the detail", proxy: proxy))
            #expect(!error.message.isEmpty && !error.description.contains("--"))
        }
    }
}
