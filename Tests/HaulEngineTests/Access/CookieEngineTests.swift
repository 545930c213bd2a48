import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Cookies", .usesSockets)
struct CookieEngineTests {
    static let file = Resource.file(seed: 32, size: 400_000)

    @Test("those of a file go to the hosts that they are for, beside the caller's")
    func loaded() async throws {
        try await FaultServer.run(["/f": Self.file]) { other in
            let away = "http://localhost:\(other.port)/f"
            try await FaultServer.run(["/d/f": .redirect(to: away)]) { home in
                try await EngineHarness.run { harness in
                    let lines = [
                        "127.0.0.1\tFALSE\t/\tFALSE\t0\tall\t1", "127.0.0.1\tFALSE\t/d\tFALSE\t4000000000\tpath\t2",
                        "127.0.0.1\tFALSE\t/e\tFALSE\t0\tother\t3", "127.0.0.1\tFALSE\t/\tTRUE\t0\tsafe\t4",
                        "127.0.0.1\tFALSE\t/\tFALSE\t1000\told\t5", "#HttpOnly_localhost\tTRUE\t/\tFALSE\t0\taway\t6",
                    ]
                    try harness.folder.put(Array(lines.joined(separator: "\n").utf8), "cookies")
                    var spec = harness.spec(home.url("/d/f"), connections: 2)
                    spec.cookiePath = harness.path("cookies")
                    spec.headers = [.init(name: "Cookie", value: "mine=7")]
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == Self.file.allBytes)
                    #expect(home.log.requests.first?.facts.header("Cookie") == "path=2; all=1; mine=7")
                    let there = Set(try await other.settled().requests.map { $0.facts.header("Cookie") })
                    #expect(there == ["away=6"])
                }
            }
        }
    }

    /// The way of a login: to the door, back with a cookie, and in.
    private func login(limiter: ServerScript) async throws -> (code: DownloadError.Code?, FaultServer) {
        let guarded = Self.file.script {
            $0.header("Cookie") == "id=hunter3" ? .normal : .redirect(to: "/login?next=f")
        }
        return try await FaultServer.run(["/f": guarded, "/login": Self.file.script(limiter)]) { server in
            var code: DownloadError.Code?
            try await EngineHarness.run { harness in
                let result = await harness.run(harness.spec(server.url("/f"), connections: 3))
                #expect(!"\(result) \(harness.events)".contains("hunter"))
                if result.code == nil { #expect(harness.bytes("f") == Self.file.allBytes) }
                code = result.code
            }
            return (code, server)
        }
    }

    @Test("a login that redirects back works, for all connections")
    func redirectedBack() async throws {
        let (code, server) = try await login(
            limiter: ServerScript.redirect(to: "/f").header("Set-Cookie", "id=hunter3; Path=/; HttpOnly"))
        #expect(code == nil && server.requests("/login").count == 1)
        #expect(server.requests("/f").dropFirst().allSatisfy { $0.facts.header("Cookie") == "id=hunter3" })
    }

    @Test("the check of an existing file sends those of a redirect, too")
    func verified() async throws {
        let guarded = Self.file.script {
            $0.header("Cookie") == "id=1" ? .normal : .redirect(to: "/f").header("Set-Cookie", "id=1; Path=/")
        }
        try await FaultServer.run(["/f": guarded]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put([1], "f")
                let error = await #expect(throws: DownloadError.self) {
                    try await harness.engine.verify(harness.path("f"), against: harness.spec(server.url("/f")))
                }
                #expect(error?.code == .checksumMismatch && server.requests("/f").count == 2)
            }
        }
    }

    @Test("one that changes nothing is a loop", arguments: [nil, "id=wrong; Path=/", "id=hunter3; Domain=example.org"])
    func loop(cookie: String?) async throws {
        let limiter = ServerScript.redirect(to: "/f")
        let (code, server) = try await login(limiter: cookie.map { limiter.header("Set-Cookie", $0) } ?? limiter)
        #expect(code == .redirectRefused && server.log.requests.count <= 4)
    }

    @Test("a new cookie with each answer does not go on for ever")
    func endless() async throws {
        let limiter = Self.file.script { facts in
            .redirect(to: "/f").header("Set-Cookie", "id=\(facts.globalNumber)")
        }
        try await FaultServer.run(["/f": limiter]) { server in
            try await EngineHarness.run { harness in
                #expect(await harness.run(harness.spec(server.url("/f"))).code == .redirectRefused)
                #expect(server.log.requests.count <= 21)
            }
        }
    }

    @Test("one download's cookies are not another's")
    func forgotten() async throws {
        try await FaultServer.run(["/f": Self.file.header("Set-Cookie", "id=1"), "/g": Self.file]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                _ = try await harness.run(harness.spec(server.url("/g"), "g")).get()
                #expect(server.requests("/g").allSatisfy { $0.facts.header("Cookie") == nil })
            }
        }
    }
}
