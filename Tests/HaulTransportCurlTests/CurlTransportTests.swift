import HTTPTypes
import HaulTransport
import Testing

@testable import HaulTesting
@testable import HaulTransportCurl

@Suite(.enabled(if: CurlUnavailable.reason() == nil, "libcurl is not there"))
struct CurlTransportTests {
    private func fetch(_ transport: CurlTransport, _ url: String) async throws -> TransferOutcome {
        let sink = TransportConformanceSink()
        _ = transport.start(TransferRequest(url: url, headers: [:]), sink: sink)
        return try await sink.outcome()
    }

    @Test func startAfterShutdownIsCancelled() async throws {
        let transport = CurlTransport()
        #expect(try await fetch(transport, "http://127.0.0.1:1/") != .complete)
        await transport.shutdown()
        await transport.shutdown()
        #expect(try await fetch(transport, "http://127.0.0.1:1/") == .cancelled)
    }

    @Test func shutdownOfOneThatNeverBegan() async throws {
        let transport = CurlTransport()
        await transport.shutdown()
        #expect(try await fetch(transport, "ftp://127.0.0.1:1/a") == .cancelled)
    }

    @Test func detailsHoldNothingOfTheURL() async throws {
        let transport = CurlTransport()
        let urls = [
            "http://127.0.0.1:1", "https://127.0.0.1:1", "ftp://127.0.0.1:1", "sftp://127.0.0.1:1",
            "ftps://secret.invalid",
            "http://u:secret@h", "secret://h", "http://h:1/ ", "ftp://h/%00",
        ]
        for url in urls {
            guard case .failed(let error) = try await fetch(transport, url + "/secret?secret=secret") else {
                Issue.record("\(url) did not fail")
                continue
            }
            #expect(!error.detail.contains("secret"), "\(error)")
        }
        await transport.shutdown()
    }

    @Test("what a server sends after a response is not the next one", arguments: [true, false])
    func surplusResponse(overTLS: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: "
        let response = head + "300000\r\n\r\n" + String(repeating: "g", count: 300_000) + head + "3\r\n\r\nbad"
        try await TransportConformanceServer.run(
            { connection in while try await connection.request() != nil { try await connection.send(response) } },
            overTLS: overTLS
        ) { server in
            let transport = CurlTransport()
            for _ in 0..<4 {
                let sink = TransportConformanceSink(checksPattern: false)
                var request = TransferRequest(url: server.url("/", scheme: overTLS ? "https" : "http"), headers: [:])
                request.insecure = overTLS
                _ = transport.start(request, sink: sink)
                let outcome = try await sink.outcome()
                #expect(outcome == .complete && sink.record.byteCount == 300_000)
            }
            await transport.shutdown()
        }
    }

    @Test func configurationHasBounds() {
        #expect(CurlTransportConfiguration(receiveBufferBytes: 0).receiveBufferBytes == 1024)
        #expect(CurlTransportConfiguration(receiveBufferBytes: .max).receiveBufferBytes == 512 << 10)
    }
}
