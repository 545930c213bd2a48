import Haul
import HaulAria2
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("aria2's interface on a port", .usesSockets)
struct Aria2ServerTests {
    static func run(
        secret: String? = nil, access: Aria2Access = Aria2Access(), strangers: Bool = false, maxBytes: Int = 4096,
        _ body: @escaping @Sendable (_ port: Int, _ rpc: Aria2RPC, _ folder: TemporaryFolder) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
        var configuration = Aria2Configuration(roots: Aria2Roots(folder: folder.path, roots: [folder.path]))
        (configuration.secret, configuration.notifiesStrangers, configuration.maxBytes) = (
            secret, strangers, maxBytes
        )
        configuration.refusalDelay = .zero
        let rpc = Aria2RPC(manager, configuration)
        let server = Aria2Server(Aria2HTTP(rpc, access: access), at: .init(port: 0))
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        await #expect(throws: Never.self) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await server.run { port.yield($0) } }
                for await port in ports {
                    try await body(port, rpc, folder)
                    break
                }
                tasks.cancelAll()
                try await tasks.waitForAll()
            }
        }
        await manager.close()
    }

    static func post(_ body: String, _ headers: String = "", path: String = "/jsonrpc", method: String = "POST")
        -> String
    {
        "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static let version = #"{"id":1,"method":"aria2.getVersion"}"#

    @Test("calls on one connection, one after the other; an error ends it")
    func http() async throws {
        try await Self.run { port, _, _ in
            try await RawClient.run(port: port) { line in
                for _ in 0..<2 {
                    try await line.send(Self.post(Self.version))
                    let head = try await line.head()
                    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
                    let length = head.split(separator: "\r\n").compactMap {
                        $0.hasPrefix("Content-Length: ") ? Int($0.dropFirst(16)) : nil
                    }.first
                    let body = try await line.read(try #require(length))
                    #expect(try JSONReader.read(body)["result"]?["version"] == .string("1.37.0"))
                }
                try await line.send(Self.post("{"))
                let rest = try await line.rest()
                #expect(
                    rest.hasPrefix("HTTP/1.1 500 ") && rest.contains("-32700") && rest.contains("Connection: close"))
            }
        }
    }

    @Test(
        "what is refused",
        arguments: [
            (post("", path: "/x"), "404"), (post("", path: "/jsonrpc/"), "404"),
            (post("", path: "/", method: "GET"), "404"),
            (post(version, "Origin: http://example.org\r\n"), "403"), (post(version, method: "PUT"), "405"),
            (post("", method: "GET"), "400"), (post(String(repeating: " ", count: 5000)), "413"),
            ("POST /jsonrpc HTTP/1.1\r\nHost: example.org\r\nContent-Length: 0\r\n\r\n", "403"),
            (post(#"{"jsonrpc":"2.0","id":1,"id":2,"method":"aria2.getVersion"}"#), "400"),
        ])
    func refused(request: String, status: String) async throws {
        try await Self.run { port, _, _ in
            let response = try await RawClient.run(port: port) { line in
                try await line.send(request)
                return try await line.rest()
            }
            #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(response)")
        }
    }

    @Test("pages of other origins are told that they may, where they may")
    func origins() async throws {
        try await Self.run(access: Aria2Access(allowsAllOrigins: true)) { port, _, _ in
            let wanted =
                "Origin: http://a.example\r\nAccess-Control-Request-Headers: content-type\r\nConnection: close\r\n"
            let response = try await RawClient.run(port: port) { line in
                try await line.send(Self.post("", wanted, method: "OPTIONS"))
                return try await line.rest()
            }
            for header in ["Origin: *", "Methods: POST, GET, OPTIONS", "Max-Age: 1728000", "Headers: content-type"] {
                #expect(response.contains("Access-Control-\(header.hasPrefix("Max") ? "" : "Allow-")\(header)"))
            }
        }
        try await Self.run { port, _, _ in
            let response = try await RawClient.run(port: port) { line in
                try await line.send(Self.post("", "Connection: close\r\n", method: "OPTIONS"))
                return try await line.rest()
            }
            #expect(response.hasPrefix("HTTP/1.1 200") && !response.contains("Access-Control"))
        }
    }

    static let upgrade =
        "GET /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"

    @Test("a WebSocket: calls in one frame and in several, pings, goodbye")
    func webSocket() async throws {
        try await Self.run { port, _, _ in
            try await RawClient.run(port: port) { line in
                try await line.send(Self.upgrade + "\r\n")
                // RFC 6455, section 1.3: the answer to the key that is the example there.
                let head = try await line.head()
                #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
                try await line.sendFrame(1, Self.version)
                #expect(try await line.frame()?.text.contains("1.37.0") == true)
                let spaces = String(repeating: " ", count: 100)
                try await line.sendFrame(1, spaces, isLast: false)
                try await line.sendFrame(0, Self.version)
                #expect(try await line.frame()?.text.contains("1.37.0") == true)
                try await line.sendFrame(9, "x")
                let pong = try await line.frame()
                #expect(pong?.opcode == 10 && pong?.text == "x")
                try await line.sendFrame(1, "{")
                #expect(try await line.frame()?.text.contains("-32700") == true)
                try await line.sendFrame(8, "\u{3}\u{8}")
                #expect(try await line.frame()?.opcode == 8)
                #expect(try await line.frame() == nil)
            }
        }
    }

    @Test("a page of another origin gets no WebSocket, and a frame that is too large ends one")
    func webSocketRefusals() async throws {
        try await Self.run { port, _, _ in
            let response = try await RawClient.run(port: port) { line in
                try await line.send(Self.upgrade + "Origin: http://example.org\r\n\r\n")
                return try await line.head()
            }
            #expect(response.hasPrefix("HTTP/1.1 403 "))
            try await RawClient.run(port: port) { line in
                try await line.send(Self.upgrade + "\r\n")
                _ = try await line.head()
                try await line.sendFrame(1, String(repeating: " ", count: 5000))
                // Goodbye, or the connection is reset since nobody reads the rest.
                var last: (opcode: UInt8, text: String)?
                do {
                    while let frame = try await line.frame() { last = frame }
                } catch {}
                #expect(last == nil || last?.opcode == 8)
            }
        }
    }

    @Test(
        "a request to change to a protocol that is not served is answered as plain HTTP", arguments: ["h2c", "TLS/1.0"])
    func otherUpgrades(name: String) async throws {
        try await Self.run { port, _, _ in
            let headers =
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: \(name)\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
            let response = try await RawClient.run(port: port) { line in
                try await line.send(Self.post(Self.version, headers))
                return try await line.rest()
            }
            #expect(response.hasPrefix("HTTP/1.1 200 ") && response.contains("1.37.0"))
            #expect(response.contains("Connection: close"))
        }
    }

    @Test(
        "what is not proper HTTP is answered at once",
        arguments: [
            ("POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
            ("POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n", 400),
            ("POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4097\r\n\r\n", 413),
            ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", 400),
            ("GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 300) + "\r\n", 431),
        ])
    func faults(request: String, status: Int) async throws {
        try await Self.run { port, _, _ in
            let response = try await RawClient.run(port: port) { line in
                try await line.send(request)
                return try await line.rest()
            }
            #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(response)")
        }
    }

    @Test("the response to a wrong method names the right ones")
    func methods() async throws {
        try await Self.run { port, _, _ in
            let response = try await RawClient.run(port: port) { line in
                try await line.send(Self.post("", method: "TRACE"))
                return try await line.rest()
            }
            #expect(response.hasPrefix("HTTP/1.1 405 ") && response.contains("\r\nAllow: GET, OPTIONS, POST\r\n"))
        }
    }

    @Test("who has not shown the secret hears of nothing, unless strangers may", arguments: [true, false])
    func notifications(strangers: Bool) async throws {
        try await FaultServer.run(["/a": Resource.file(seed: 1, size: 1000)]) { files in
            let url = files.url("/a")
            try await Self.run(secret: "s", strangers: strangers) { port, rpc, _ in
                try await RawClient.run(port: port) { line in
                    try await line.send(Self.upgrade + "\r\n")
                    _ = try await line.head()
                    let gid = try await rpc.add([url], Aria2Options())
                    await rpc.manager.idle()
                    if strangers {
                        #expect(try await line.frame()?.text == Aria2Notification.start.text(gid))
                        #expect(try await line.frame()?.text == Aria2Notification.complete.text(gid))
                    }
                    // What was held back would come before this answer.
                    try await line.sendFrame(1, Self.version)
                    #expect(try await line.frame()?.text.contains("Unauthorized") == true)
                    try await line.sendFrame(1, #"{"id":1,"method":"aria2.getVersion","params":["token:s"]}"#)
                    #expect(try await line.frame()?.text.contains("1.37.0") == true)
                }
            }
        }
    }

    @Test("a port that is taken is an error, and one that was given back is free")
    func ports() async throws {
        try await Self.run { port, rpc, _ in
            let second = Aria2Server(Aria2HTTP(rpc, access: Aria2Access()), at: .init(port: port))
            await #expect(throws: (any Error).self) { try await second.run { _ in } }
        }
    }
}
