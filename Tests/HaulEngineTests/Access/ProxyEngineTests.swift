import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Proxies", .usesSockets)
struct ProxyEngineTests {
    static let file = Resource.file(seed: 33, size: 2_000_000)

    @Test("a download through a proxy: segments, credentials for it alone, no_proxy for each hop")
    func through() async throws {
        try await FaultServer.run(["/f": Self.file]) { other in
            let away = other.url("/f")
            try await FaultServer.run(["/f": .redirect(to: away)]) { home in
                try await TestProxy.run(.http(authorization: "bWU6aHVudGVyMQ==")) { proxy in
                    let settings = try ProxySettings(
                        url: "http://me:hunter1@127.0.0.1:\(proxy.port)", noProxy: "127.0.0.1:\(other.port)")
                    try await EngineHarness.run {
                        $0.proxies = settings
                    } _: { harness in
                        let url = "http://only.test:\(home.port)/f"
                        _ = try await harness.run(harness.spec(url, connections: 3)).get()
                        #expect(harness.bytes("f") == Self.file.allBytes)
                        #expect(proxy.heads.count == 1 && !"\(harness.events)".contains("hunter"))
                        #expect(home.log.requests.allSatisfy { $0.facts.header("Proxy-Authorization") == nil })
                        #expect(
                            try await other.settled().requests.allSatisfy {
                                $0.facts.header("Proxy-Authorization") == nil
                            })
                    }
                }
            }
        }
    }

    @Test("all segments go through it")
    func segments() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await TestProxy.run(.socks5) { proxy in
                try await EngineHarness.run {
                    $0.proxies = try ProxySettings(url: "socks5h://127.0.0.1:\(proxy.port)")
                } _: { harness in
                    _ = try await harness.run(harness.spec("http://only.test:\(server.port)/f", connections: 3)).get()
                    #expect(harness.bytes("f") == Self.file.allBytes)
                    #expect(proxy.connections == server.log.connections && proxy.connections > 1)
                }
            }
        }
    }

    @Test("wrong credentials for a proxy end the download at once, and stand nowhere", arguments: ["http", "https"])
    func denied(scheme: String) async throws {
        try await TestProxy.run(.http(authorization: "bWU6aHVudGVyMQ==")) { proxy in
            try await EngineHarness.run {
                $0.proxies = try ProxySettings(url: "http://me:hunter2@127.0.0.1:\(proxy.port)")
            } _: { harness in
                let result = await harness.run(harness.spec("\(scheme)://only.test/f"))
                #expect(
                    result.code == .notAuthorized && "\(result)".contains("proxy") && !"\(result)".contains("hunter"))
                #expect(proxy.heads.count == 1)
            }
        }
    }

    @Test("a proxy that needs the other transport, or an interface that is none, is an error that says so")
    func unusable() async throws {
        for (proxy, address) in [("https://p", nil), ("socks4://p", nil), (nil, "no-such-interface")]
            as [(String?, String?)]
        {
            try await EngineHarness.run {
                if let proxy { $0.proxies = try ProxySettings(url: proxy) }
                $0.localAddress = address
            } _: { harness in
                #expect(await harness.run(harness.spec("http://127.0.0.1:1/f")).code == .invalidRequest)
                #expect(harness.waits == 0)
            }
        }
    }
}
