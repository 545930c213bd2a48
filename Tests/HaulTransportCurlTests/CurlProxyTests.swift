import HTTPTypes
import HaulTransport
import Testing

@testable import HaulTesting
@testable import HaulTransportCurl

@Suite(.enabled(if: CurlUnavailable.reason() == nil, "libcurl is not there"))
struct CurlProxyTests {
    private static let login = Credentials(user: "guest", password: "open sesame:")

    /// Fetches ten bytes from a server through a proxy.
    private func fetch(
        through port: Int, _ scheme: Proxy.Scheme, _ login: Credentials?, host: String = "127.0.0.1",
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) async throws -> TransportConformanceSink.Record {
        var record: TransportConformanceSink.Record?
        try await TransportConformanceServer.run { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            try await connection.send(pattern: 0..<10)
        } body: { server in
            let transport = CurlTransport()
            var request = TransferRequest(url: "http://\(host):\(server.port)/", headers: [:])
            request.proxy = Proxy(scheme, host: "127.0.0.1", port: port, credentials: login)
            change(&request)
            let sink = TransportConformanceSink()
            _ = transport.start(request, sink: sink)
            try await sink.outcome()
            await transport.shutdown()
            record = sink.record
        }
        return try #require(record)
    }

    @Test(arguments: [Proxy.Scheme.socks4, .socks4a, .socks5, .socks5h])
    func socks(scheme: Proxy.Scheme) async throws {
        try await SocksServer.run { port, log in
            let record = try await fetch(through: port, scheme, nil)
            #expect(record.outcome == .complete && record.byteCount == 10)
            #expect(log.all.contains("to 127.0.0.1"))
        }
    }

    @Test("who looks the name up", arguments: [Proxy.Scheme.socks4a, .socks5h])
    func names(scheme: Proxy.Scheme) async throws {
        try await SocksServer.run { port, log in
            let record = try await fetch(through: port, scheme, nil, host: "inside.test")
            #expect(record.outcome == .complete)
            #expect(log.all.contains("to inside.test"))
        }
    }

    @Test(arguments: [Proxy.Scheme.socks5, .socks5h])
    func password(scheme: Proxy.Scheme) async throws {
        try await SocksServer.run(login: "guest:open sesame:") { port, _ in
            #expect(try await fetch(through: port, scheme, Self.login).outcome == .complete)
            for wrong in [nil, Credentials(user: "guest", password: "please")] {
                let record = try await fetch(through: port, scheme, wrong)
                guard case .failed(let error) = record.outcome else { return #expect(Bool(false), "\(record)") }
                #expect(error.kind == .proxyNotAuthorized, "\(error)")
                #expect(record.head == nil)
            }
        }
    }

    @Test func aProxyThatCantConnect() async throws {
        try await SocksServer.run { port, _ in
            let record = try await fetch(through: port, .socks5, nil) { $0.url = "http://127.0.0.1:1/" }
            guard case .failed(let error) = record.outcome else { return #expect(Bool(false)) }
            #expect(error.kind == .proxyRefused, "\(error)")
        }
    }

    @Test func localAddress() async throws {
        try await SocksServer.run { port, log in
            let record = try await fetch(through: port, .socks5, nil) { $0.localAddress = "127.0.0.3" }
            #expect(record.outcome == .complete)
            #expect(log.all.contains("from 127.0.0.3"))
            // TEST-NET-3 (RFC 5737) is nobody's address.
            let other = try await fetch(through: port, .socks5, nil) { $0.localAddress = "203.0.113.7" }
            guard case .failed(let error) = other.outcome else { return #expect(Bool(false)) }
            #expect(error.kind == .unusable, "\(error)")
        }
    }

    @Test("an HTTP proxy is asked for the whole URL, and its 407 is not the answer")
    func forwarding() async throws {
        try await TransportConformanceServer.run { connection in
            while let request = try await connection.request() {
                let isFirst = !request.contains("Proxy-Authorization: Basic Z3Vlc3Q6b3BlbiBzZXNhbWU6\r\n")
                guard request.hasPrefix("GET http://inside.test/a?b HTTP/1.1\r\n") else { return }
                let head = isFirst ? "407 Who?\r\nProxy-Authenticate: Basic realm=\"x\"" : "200 OK"
                try await connection.send("HTTP/1.1 \(head)\r\nContent-Length: 5\r\n\r\n")
                try await connection.send(pattern: 0..<5)
            }
        } body: { server in
            let record = try await fetch(through: server.port, .http, Self.login) { $0.url = "http://inside.test/a?b" }
            #expect(record.outcome == .complete && record.head?.status.code == 200 && record.byteCount == 5)
            #expect(record.violations == [])
            let wrong = try await fetch(through: server.port, .http, Credentials(user: "x", password: "y")) {
                $0.url = "http://inside.test/a?b"
            }
            #expect(wrong.head?.status.code == 407)
        }
    }

    @Test(
        "a tunnel is asked for where bytes must not be read: TLS, and file servers",
        arguments: ["https", "ftp", "sftp"])
    func tunnel(scheme: String) async throws {
        for (response, kind) in [("407 Who?", TransportError.Kind.proxyNotAuthorized), ("403 No", .proxyRefused)] {
            try await TransportConformanceServer.run { connection in
                while let request = try await connection.request(), request.hasPrefix("CONNECT inside.test:99 ") {
                    try await connection.send("HTTP/1.1 \(response)\r\nContent-Length: 0\r\n\r\n")
                }
            } body: { server in
                let record = try await fetch(through: server.port, .http, nil) {
                    $0.url = "\(scheme)://inside.test:99/a"
                }
                guard case .failed(let error) = record.outcome else { return #expect(Bool(false), "\(record)") }
                #expect(error.kind == kind, "\(error)")
                #expect(record.head == nil)
            }
        }
    }
}
