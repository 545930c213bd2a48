import HaulTransportHTTP
import Testing

@testable import HaulTesting

@Suite("Connections of Haul's own")
struct DirectConnectionTests {
    @Test(
        "are not used again after an answer that leaves them in doubt",
        arguments: [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}",
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n\u{0}",
        ])
    func doubt(answer: String) async throws {
        try await TransportConformanceContext.run {
            try HTTPTransport(HTTPTransportConfiguration(eventLoops: 1, speaksItself: true))
        } script: { connection in
            _ = try await connection.request()
            try await connection.send(answer)
            try await connection.closed()
        } body: { context in
            for _ in 0..<2 { _ = try await context.fetch(sink: TransportConformanceSink(checksPattern: false)) }
            #expect(context.server.connectionCount == 2)
        }
    }
}
