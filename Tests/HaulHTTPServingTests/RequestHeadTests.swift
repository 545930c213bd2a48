import HaulHTTPServing
import NIOHTTP1
import Testing

@Suite("The head of a request")
struct RequestHeadTests {
    static func head(_ headers: HTTPHeaders, _ uri: String = "/a", _ method: HTTPMethod = .GET) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
    }

    static let handshake: HTTPHeaders = [
        "Host": "h", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
    ]

    /// The status of the fault that is thrown, or nil.
    static func status(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RequestFault)?.status
        }
    }

    @Test("what breaks HTTP has the status that the RFCs ask for")
    func faults() {
        let cases: [(HTTPHeaders, String, Int)] = [
            (["Host": "a", "host": "a"], "/", 400), (["Host": "a", "Host": "b"], "/", 400),
            (["Host": "a"], "http://evil.example/x", 400), (["Host": "a"], "HTTPS://evil.example", 400),
            ([:], "http://a/x", 400), (["Host": "a", "Transfer-Encoding": "gzip, chunked"], "/", 501),
            (["Host": "a", "Transfer-Encoding": "identity"], "/", 501),
            (["Host": "a", "Transfer-Encoding": "chunked", "transfer-encoding": "chunked"], "/", 400),
        ]
        for (headers, uri, status) in cases {
            let found = Self.status { _ = try RequestHead.checked(Self.head(headers, uri)) }
            #expect(found == status, "\(headers)")
        }
    }

    @Test(
        "a URL of the own host becomes its path",
        arguments: [
            ("http://a/x?y=1", "/x?y=1"), ("HTTP://A/x", "/x"), ("https://a", "/"), ("http://a?q", "/?q"), ("/x", "/x"),
            ("*", "*"),
        ])
    func targets(uri: String, target: String) throws {
        let checked = try RequestHead.checked(Self.head(["Host": "a", "Transfer-Encoding": "Chunked"], uri))
        #expect(checked.uri == target)
    }

    @Test("a WebSocket needs the whole handshake of RFC 6455")
    func handshakes() throws {
        try RequestHead.checkHandshake(Self.head(Self.handshake))
        #expect(RequestHead.asksForWebSocket(Self.head(["Upgrade": "h2c, WebSocket"])))
        #expect(!RequestHead.asksForWebSocket(Self.head(["Upgrade": "h2c"])))
        let wrong: [(String, String?, Int)] = [
            ("Connection", "keep-alive", 400), ("Sec-WebSocket-Key", nil, 400), ("Sec-WebSocket-Version", "8", 426),
            ("Sec-WebSocket-Version", nil, 426), ("Content-Length", "5", 400), ("Transfer-Encoding", "chunked", 400),
        ]
        for (name, value, status) in wrong {
            var headers = Self.handshake
            headers.remove(name: name)
            if let value { headers.add(name: name, value: value) }
            let head = Self.head(headers)
            let found = Self.status { try RequestHead.checkHandshake(head) }
            #expect(found == status, "\(name)")
        }
        let found400 = Self.status { try RequestHead.checkHandshake(Self.head(Self.handshake, "/", .POST)) }
        #expect(found400 == 400)
    }
}
