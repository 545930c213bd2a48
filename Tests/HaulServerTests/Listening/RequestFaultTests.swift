import Foundation
import Haul
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import NIOCore
import NIOPosix
import Testing

@Suite("Requests that are not proper HTTP", .usesSockets)
struct RequestFaultTests {
    private static let lines = "GET /api/v1/info HTTP/1.1\r\nHost: HOST\r\n"

    /// A head with the token, whose rest follows.
    private static func post(_ trial: ServedTrial, _ more: String) -> String {
        "POST /api/v1/downloads HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \(trial.token.text)\r\n"
            + "Content-Type: application/json\r\n\(more)"
    }

    /// The time within which an answer counts as immediate: far below the 15 s after which a silent connection is closed.
    private static let soon = Duration.seconds(8)

    private static func expect(_ status: Int, _ request: String, _ trial: ServedTrial) async throws {
        let started = ContinuousClock.now
        let response = try await trial.raw(request)
        #expect(RawClient.status(response) == status, "\(request.prefix(200)): \(response)")
        #expect(ContinuousClock.now - started < soon, "\(request.prefix(200))")
        guard status != 200 else { return }
        #expect(response.lowercased().contains("connection: close"), "\(response)")
        #expect(response.contains(#""code":"#) && response.contains(#""message":"#), "\(response)")
        #expect(response.lowercased().contains("x-content-type-options: nosniff"))
    }

    @Test("a head that the parser rejects is answered with 4xx, and the connection closes")
    func heads() async throws {
        try await ServedTrial.run { trial in
            for more in [
                "Content-Length: -1", "Content-Length: abc", "Content-Length: 3\r\nContent-Length: 4",
                "Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length: 99999999999999999999999",
                "X: a\r\n folded",
                "X: a\u{0}b", "X: a\rb", "X y: a", ": a",
            ] { try await Self.expect(400, Self.post(trial, more + "\r\n\r\n"), trial) }
            try await Self.expect(400, "GET / HTTP/1.1\nHost: HOST\n\n", trial)
            try await Self.expect(400, "\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}\u{0}\u{0}\u{1}\u{3}", trial)
            try await Self.expect(400, "nonsense\r\n\r\n", trial)
            try await Self.expect(400, "GET / HTTP/3.0\r\nHost: HOST\r\n\r\n", trial)
        }
    }

    @Test("200 header lines are taken, too many or too large ones are 431")
    func largeHeads() async throws {
        try await ServedTrial.run { trial in
            func many(_ count: Int) -> String {
                "GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"
                    + String(repeating: "X: y\r\n", count: count) + "\r\n"
            }
            try await Self.expect(200, many(250), trial)
            try await Self.expect(431, many(300), trial)
            try await Self.expect(431, Self.lines + "X: \(String(repeating: "a", count: 40_000))\r\n\r\n", trial)
        }
    }

    @Test("a body that is announced as too large is 413 before it comes")
    func largeBodies() async throws {
        try await ServedTrial.run { trial in
            let channel = try await RawClient.connect(trial.port)
            let request = Self.post(trial, "Content-Length: 9000000\r\n\r\n")
            let head = try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: request.replacing("HOST", with: "127.0.0.1:\(trial.port)")))
                var found = ""
                for try await part in inbound {
                    found += String(buffer: part)
                    if found.contains("\r\n\r\n") { break }
                }
                return found
            }
            #expect(RawClient.status(head) == 413)
        }
    }

    @Test("broken chunks are 400, unknown codings 501: never a defect of Haul")
    func bodies() async throws {
        try await ServedTrial.run { trial in
            for chunks in ["xyz\r\nabc", "5\r\nabcdeXX\r\n0\r\n\r\n", "-1\r\n", "FFFFFFFFFFFFFFFFFF\r\n"] {
                try await Self.expect(400, Self.post(trial, "Transfer-Encoding: chunked\r\n\r\n" + chunks), trial)
            }
            for coding in ["gzip, chunked", "chunked, identity"] {
                let response = try await trial.raw(Self.post(trial, "Transfer-Encoding: \(coding)\r\n\r\n"))
                #expect([400, 501].contains(RawClient.status(response)), "\(coding): \(response)")
            }
            try await Self.expect(501, Self.post(trial, "Transfer-Encoding: gzip, chunked\r\n\r\n"), trial)
        }
    }

    @Test("the answers to the requests before a faulty one come first")
    func pipelined() async throws {
        try await ServedTrial.run { trial in
            let good = "GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n"
            let response = try await trial.raw(
                good + good + "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n")
            let statuses = response.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses == ["200", "200", "400"], "\(response)")
        }
    }

    @Test("two Host headers, and a URL of another host, are 400; the own URL is its path")
    func hosts() async throws {
        try await ServedTrial.run { trial in
            try await Self.expect(400, "GET /health HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", trial)
            try await Self.expect(400, "GET /health HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", trial)
            try await Self.expect(400, "GET http://evil.example/health HTTP/1.1\r\nHost: HOST\r\n\r\n", trial)
            try await Self.expect(
                200, "GET http://HOST/health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", trial)
        }
    }

    @Test("405 names the methods, TRACE is 405, an unknown method is 501")
    func methods() async throws {
        try await ServedTrial.run { trial in
            for (method, path, allowed) in [
                ("PUT", "/api/v1/downloads", "GET, HEAD, POST"), ("TRACE", "/api/v1/downloads", "GET, HEAD, POST"),
                ("TRACE", "/health", "GET, HEAD"), ("GET", "/api/v1/downloads/1/pause", "POST"),
            ] {
                let response = try await trial.raw(
                    "\(method) \(path) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
                #expect(RawClient.status(response) == 405, "\(response)")
                #expect(response.lowercased().contains("\r\nallow: \(allowed.lowercased())\r\n"), "\(response)")
            }
            let unknown = try await trial.raw("PROPFIND /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
            #expect(RawClient.status(unknown) == 501)
        }
    }

    @Test("a POST without a body needs no Content-Type; one with a body does")
    func types() async throws {
        try await ServedTrial.run { trial in
            let head =
                "POST /api/v1/downloads/1/pause HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"
                + "Authorization: Bearer \(trial.token.text)\r\n"
            for more in ["Content-Length: 0\r\n", ""] {
                let response = try await trial.raw(head + more + "\r\n")
                #expect(RawClient.status(response) == 404, "\(response)")
            }
            for more in ["Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
                let response = try await trial.raw(head + more)
                #expect(RawClient.status(response) == 415, "\(response)")
            }
        }
    }

    @Test("a body with a field twice is 400")
    func duplicates() async throws {
        try await ServedTrial.run(privateAddresses: true) { trial in
            for body in [
                #"{"url":"http://127.0.0.1:1/a","url":"http://127.0.0.1:1/b"}"#,
                #"{"url":"http://127.0.0.1:1/a","\u0075rl":"http://127.0.0.1:1/b"}"#,
            ] {
                let request = Self.post(trial, "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n" + body)
                let response = try await trial.raw(request)
                #expect(RawClient.status(response) == 400 && response.contains("twice"), "\(response)")
            }
            #expect(try await trial.manager.count() == 0)
        }
    }

    private static let handshake =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: "

    @Test("an Upgrade that is not accepted is answered as plain HTTP, over TCP and the Unix socket")
    func upgrades() async throws {
        var mounts = Mounts()
        mounts.webSockets = [WebSocketMount("/ws", rule: .open) { _, _ in }]
        for mounts in [Mounts(), mounts] {
            try await ServedTrial.run(mounts: mounts) { trial in
                for more in [
                    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
                    "Connection: upgrade\r\nUpgrade: TLS/1.0\r\n", Self.handshake + "13\r\n",
                ] {
                    let request = "GET /health HTTP/1.1\r\nHost: HOST\r\n\(more)\r\n"
                    try await Self.expect(200, request, trial)
                    let local = try await Self.local(request.replacing("HOST", with: "haul"), trial.socket)
                    #expect(RawClient.status(local) == 200, "\(local)")
                }
                let body = #"{"url":"x"}"#
                let post = Self.post(
                    trial,
                    "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                try await Self.expect(400, post, trial)
            }
        }
    }

    @Test("a WebSocket that may not be is refused with the reason")
    func webSockets() async throws {
        var mounts = Mounts()
        mounts.webSockets = [
            WebSocketMount("/ws", rule: RouteRule(wantsToken: false, wantsJSON: false)) { channel, _ in
                try? await channel.executeThenClose { _, _ in }
            }
        ]
        try await ServedTrial.run(mounts: mounts) { trial in
            let head = "GET /ws HTTP/1.1\r\nHost: HOST\r\n"
            try await Self.expect(403, head + "Origin: http://evil.example\r\n\(Self.handshake)13\r\n\r\n", trial)
            try await Self.expect(403, head + "Origin: null\r\n\(Self.handshake)13\r\n\r\n", trial)
            try await Self.expect(426, head + Self.handshake + "8\r\n\r\n", trial)
            let taken = try await trial.raw(head + "Origin: http://HOST\r\n\(Self.handshake)13\r\n\r\n")
            #expect(RawClient.status(taken) == 101)
        }
    }

    /// Sends a request over the Unix socket, and reads until the other side closes.
    private static func local(_ request: String, _ path: String) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var response = ""
            for try await part in inbound { response += String(buffer: part) }
            return response
        }
    }
}
