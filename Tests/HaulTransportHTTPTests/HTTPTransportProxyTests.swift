import Foundation
import HTTPTypes
import HaulCore
import HaulTesting
import HaulTransport
import HaulTransportHTTP
import Testing

@Suite struct HTTPTransportProxyTests {
    private static let files: [String: Resource] = ["/f": .text("hello"), "/g": .text("again")]
    private static let answers = ["whole": "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"]

    private func with(
        ca: String? = nil, _ body: (HTTPTransport) async throws -> Void
    ) async throws {
        let transport = try HTTPTransport(HTTPTransportConfiguration(caCertificatePath: ca))
        try await body(transport)
        await transport.shutdown()
    }

    private func request(
        _ url: String, _ proxy: TestProxy, _ scheme: Proxy.Scheme = .http, host: String = "127.0.0.1",
        _ credentials: Credentials? = nil
    ) -> TransferRequest {
        var request = TransferRequest(url: url, headers: [.proxyAuthorization: "Basic hunter2"])
        request.proxy = Proxy(scheme, host: host, port: proxy.port, credentials: credentials)
        return request
    }

    @Test func plainHTTPIsAskedForWithTheWholeURLOverOneConnection() async throws {
        try await FaultServer.run(Self.files) { server in
            try await TestProxy.run(.http(authorization: "bWU6aHVudGVyMQ==")) { proxy in
                try await with { transport in
                    let me = Credentials(user: "me", password: "hunter1")
                    for path in ["f?q", "g"] {
                        let url = "http://only.test:\(server.port)/\(path)"
                        let (outcome, text) = await transport.fetch(request(url, proxy, .http, me))
                        #expect(outcome == .complete && text == (path == "g" ? "again" : "hello"))
                    }
                    #expect(proxy.connections == 1)
                    let head = try #require(proxy.heads.first)
                    #expect(head.hasPrefix("GET http://only.test:\(server.port)/f?q HTTP/1.1\r\n"))
                    #expect(head.contains("\r\nHost: only.test:\(server.port)\r\n"))
                    #expect(
                        head.contains("\r\nProxy-Authorization: Basic bWU6aHVudGVyMQ==\r\n")
                            && !head.contains("hunter2"))
                    #expect(server.log.requests.first?.facts.target == "/f?q")
                }
            }
        }
    }

    @Test(arguments: ["only.test", "127.0.0.1"])
    func httpsGoesThroughATunnel(host: String) async throws {
        let server = try await TLSServer(for: "DNS:only.test,IP:127.0.0.1", answers: Self.answers)
        try await TestProxy.run(.http(authorization: "bWU6aHVudGVyMQ==")) { proxy in
            try await with(ca: server.certificate) { transport in
                let me = Credentials(user: "me", password: "hunter1")
                let (outcome, text) = await transport.fetch(request(server.url("whole", host: host), proxy, .http, me))
                #expect(outcome == .complete && text == "hello")
                let head = try #require(proxy.heads.first)
                let authority = "\(host):\(server.port)"
                #expect(
                    head.hasPrefix("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n")
                        && !head.contains("hunter2"))
                // The server closes each connection; another tunnel leads to it, and none to somebody else.
                let again = await transport.fetch(request(server.url("whole", host: host), proxy, .http, me))
                #expect(again.outcome == .complete)
                let elsewhere = await transport.fetch(request("https://\(host):1/", proxy, .http, me)).outcome
                #expect(elsewhere?.failure == .proxyRefused)
            }
        }
    }

    @Test(arguments: [nil, Credentials(user: "me", password: "wrong")])
    func aProxyThatWantsOtherCredentials(credentials: Credentials?) async throws {
        try await TestProxy.run(.http(authorization: "bWU6aHVudGVyMQ==")) { proxy in
            try await with { transport in
                let secure = await transport.fetch(request("https://only.test:1/", proxy, .http, credentials))
                #expect(secure.outcome?.failure == .proxyNotAuthorized)
                // In the clear its answer is an answer like others.
                let plain = await transport.fetch(request("http://only.test:1/", proxy, .http, credentials))
                #expect(plain.outcome == .complete)
            }
        }
    }

    @Test func aProxyThatRefuses() async throws {
        try await TestProxy.run(.http(), refuses: true) { proxy in
            try await with { transport in
                let outcome = await transport.fetch(request("https://only.test:1/", proxy)).outcome
                #expect(outcome?.failure == .proxyRefused)
            }
        }
        try await TestProxy.run(.socks5, refuses: true) { proxy in
            try await with { transport in
                let outcome = await transport.fetch(request("http://only.test:1/", proxy, .socks5h)).outcome
                #expect(outcome?.failure == .proxyRefused)
            }
        }
    }

    @Test(arguments: ["http://only.test/", "https://only.test/"])
    func aSOCKSProxyThatWantsALogin(url: String) async throws {
        try await TestProxy.run(.socks5WithLogin) { proxy in
            try await with { transport in
                let outcome = await transport.fetch(request(url, proxy, .socks5h)).outcome
                #expect(outcome?.failure == .proxyNotAuthorized)
            }
        }
    }

    @Test func aProxyThatIsNotThere() async throws {
        let gone = try await TestProxy.run(.socks5) { $0 }
        try await with { transport in
            for (url, scheme) in [
                ("http://only.test/", Proxy.Scheme.http), ("https://only.test/", .http),
                ("http://only.test/", .socks5h),
            ] {
                let outcome = await transport.fetch(request(url, gone, scheme)).outcome
                guard case .failed(let error) = outcome else { throw error("\(String(describing: outcome))") }
                #expect(
                    error.kind == .refused && error.proxy == "\(scheme.rawValue)://127.0.0.1:\(gone.port)", "\(error)")
            }
        }
    }

    @Test func socksLooksNamesUpItself() async throws {
        try await FaultServer.run(Self.files) { server in
            try await TestProxy.run(.socks5) { proxy in
                try await with { transport in
                    let url = "http://only.test:\(server.port)/f"
                    #expect(await transport.fetch(request(url, proxy, .socks5h)).text == "hello")
                    #expect(await transport.fetch(request(server.url("/f"), proxy, .socks5)).text == "hello")
                    #expect(proxy.heads == ["only.test:\(server.port)", "127.0.0.1:\(server.port)"])
                }
            }
        }
    }

    @Test func connectionsAreSharedAmongThoseOfOneWayOnly() async throws {
        try await FaultServer.run(Self.files) { server in
            try await TestProxy.run(.socks5) { one in
                try await TestProxy.run(.socks5) { two in
                    try await with { transport in
                        for _ in 0..<2 {
                            for proxy in [one, two] {
                                let ways = await transport.fetch(request(server.url("/f"), proxy, .socks5h))
                                #expect(ways.outcome == .complete)
                            }
                            #expect(await transport.fetch(server.url("/f")).outcome == .complete)
                        }
                        #expect(one.connections == 1 && two.connections == 1 && server.log.connections == 3)
                    }
                }
            }
        }
    }

    #if os(Linux)
        /// Behind a proxy the address connected to is the proxy's: a certificate for it must not do.
        @Test(arguments: [("IP:127.0.0.1", true), ("IP:127.0.0.2", false), ("DNS:localhost", false)])
        func theCertificateIsComparedWithTheURLsAddress(name: String, isTrusted: Bool) async throws {
            let server = try await TLSServer(for: name, answers: Self.answers)
            for (kind, scheme) in [(TestProxy.Kind.http(), Proxy.Scheme.http), (.socks5, .socks5)] {
                try await TestProxy.run(kind, host: "127.0.0.2") { proxy in
                    try await with(ca: server.certificate) { transport in
                        let outcome = await transport.fetch(
                            request(server.url("whole"), proxy, scheme, host: "127.0.0.2")
                        ).outcome
                        #expect(
                            isTrusted ? outcome == .complete : outcome?.error?.reason == .certificateForOtherHost,
                            "\(String(describing: outcome))")
                    }
                }
            }
        }
    #endif

    @Test(
        arguments: [
            (.http, false, "http://h/", true), (.http, true, "https://h/", true), (.https, false, "http://h/", false),
            (.socks4, false, "http://h/", false), (.socks4a, false, "http://h/", false),
            (.socks5, false, "http://h/", false),
            (.socks5, false, "http://[::1]/", true), (.socks5, true, "http://1.2.3.4/", false),
            (.socks5h, false, "https://h/", true),
            (.socks5h, true, "https://h/", false),
        ] as [(Proxy.Scheme, Bool, String, Bool)])
    func whatItServes(scheme: Proxy.Scheme, hasCredentials: Bool, url: String, serves: Bool) async throws {
        var request = TransferRequest(url: url, headers: [:])
        #expect(HTTPTransport.serves(request))
        let me = hasCredentials ? Credentials(user: "me", password: "hunter2") : nil
        request.proxy = Proxy(scheme, host: "127.0.0.1", port: 1, credentials: me)
        #expect(HTTPTransport.serves(request) == serves)
        let refused = request
        guard !serves else { return }
        try await with { transport in
            guard case .failed(let error) = await transport.fetch(refused).outcome else {
                throw error("it did not fail")
            }
            #expect(error.kind == .unusable && !"\(error)".contains("hunter2"))
        }
    }

    @Test func authenticationBeyondHeadersIsNotServed() {
        var request = TransferRequest(url: "http://h/", headers: [:])
        request.authentication = Authentication([.digest], Credentials(user: "a", password: "b"))
        #expect(!HTTPTransport.serves(request))
        #expect(!HTTPTransport.serves(TransferRequest(url: "ftp://h/", headers: [:])))
    }
}

/// An error that says something.
private func error(_ text: String) -> any Error { TransportError(.other, text) }
