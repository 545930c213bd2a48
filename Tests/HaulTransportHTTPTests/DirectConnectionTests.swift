import HTTPTypes
import HaulTransport
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import HaulTesting
@testable import HaulTransportHTTP

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
    func doubt(response: String) async throws {
        try await TransportConformanceContext.run {
            try HTTPTransport(HTTPTransportConfiguration(eventLoops: 1, usesDirectConnections: true))
        } script: { connection in
            _ = try await connection.request()
            try await connection.send(response)
            try await connection.closed()
        } body: { context in
            for _ in 0..<2 { _ = try await context.fetch(sink: TransportConformanceSink(checksPattern: false)) }
            #expect(context.server.connectionCount == 2)
        }
    }

    @Test("that have bytes of an earlier response are replaced, and their response is nobody else's")
    func leftover() async throws {
        try await TransportConformanceContext.run {
            try HTTPTransport(HTTPTransportConfiguration(eventLoops: 1, usesDirectConnections: true))
        } script: { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}")
            _ = try await connection.request()
            try await connection.send("\u{1}\u{2}HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}")
            try await connection.closed()
        } body: { context in
            let first = try await context.fetch()
            #expect(first.outcome == .complete)
            let second = try await context.fetch()
            #expect(second.outcome == .complete && second.byteCount == 1 && context.server.connectionCount == 2)
        }
    }

    @Test(
        "that get the beginning of a response that nobody has requested are replaced",
        arguments: [
            "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nX: y\r\n",
            "HT", "\u{1}",
        ], [true, false])
    func leftoverStart(text: String, isDirect: Bool) async throws {
        for isEarly in [true, false] {
            try await TransportConformanceContext.run {
                try HTTPTransport(HTTPTransportConfiguration(eventLoops: 1, usesDirectConnections: isDirect))
            } script: { connection in
                _ = try await connection.request()
                let response = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}"
                // With the response, or while the next request is on its way.
                try await connection.send(response + (isEarly ? text : ""))
                guard try await connection.request() != nil else { return }
                if !isEarly { try await connection.send(text) }
                try await connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\n\u{0}")
                try await connection.closed()
            } body: { context in
                #expect(try await context.fetch().outcome == .complete)
                // Over the new connection, the first response is the right one.
                var second = try await context.fetch()
                // AsyncHTTPClient may choose a connection that is being closed; the engine tries again, too.
                if !isDirect, second.outcome != .complete { second = try await context.fetch() }
                #expect(second.outcome == .complete && second.head?.status.code == 200)
                #expect(context.server.connectionCount == 2)
            }
        }
    }

    @Test("that still come about are not idle, so a refusal of another does not close them")
    func comingAbout() throws {
        let all = DirectConnections(
            loop: MultiThreadedEventLoopGroup.singleton.any(), trustRoots: try TrustRoots(caCertificatePath: nil),
            receiveBufferBytes: 1 << 16,
            connections: ClientConnections())
        let pool = DirectPool(try #require(DirectOrigin(RequestTarget("http://h/"))), insecure: false)
        let connection = DirectConnection(
            pool, of: all, decoder: ResponseDecoder(), isReady: true, largestRead: 1 << 16)
        #expect(connection.idleSince == nil)
        #expect(pool.take(usedAfter: .now()) == nil)
    }

    @Test(
        "carry nothing that says something about the connection or a body",
        arguments: [
            ("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("Connection", "close"),
        ])
    func oddHeaders(name: String, value: String) throws {
        var request = TransferRequest(url: "http://h/", headers: [.userAgent: "haul"])
        #expect(request.isPlain)
        request.headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        #expect(!request.isPlain)
    }
}
