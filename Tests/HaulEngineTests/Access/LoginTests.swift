import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Logging in", .usesSockets)
struct LoginTests {
    static let file = Resource.file(seed: 31, size: 400_000)
    static let basic = "Basic bWU6aHVudGVyMQ=="

    /// A file for who sends this header alone.
    static func guarded(_ name: String, _ value: String) -> Resource {
        file.script { $0.header(name) == value ? .normal : .status(401) }
    }

    private func run(
        _ resource: Resource, _ change: (inout DownloadSpec, EngineHarness) throws -> Void,
        _ check: (Result<FinishFacts, DownloadError>, FaultServer, EngineHarness) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: 2)
                try change(&spec, harness)
                let result = await harness.run(spec)
                #expect(!"\(result) \(harness.events)".contains("hunter"))
                try await check(result, server, harness)
            }
        }
    }

    @Test("with a password, given or in a file", arguments: [true, false])
    func password(isFile: Bool) async throws {
        try await run(Self.guarded("Authorization", Self.basic)) { spec, harness in
            try harness.folder.put(Array("hunter1\r\nsecond line\n".utf8), "password")
            spec.user = "me"
            spec.password = isFile ? .file(path: harness.path("password")) : .text("hunter1")
        } _: { result, _, harness in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("with a token")
    func token() async throws {
        try await run(Self.guarded("Authorization", "Bearer hunter2")) { spec, harness in
            try harness.folder.put(Array("hunter2".utf8), "token")
            spec.bearerToken = .file(path: harness.path("token"))
        } _: { result, _, _ in
            _ = try result.get()
        }
    }

    @Test("a header of the caller's wins")
    func header() async throws {
        try await run(Self.guarded("Authorization", "Mine")) { spec, _ in
            spec.user = "me"
            spec.password = .text("hunter1")
            spec.headers = [.init(name: "Authorization", value: "Mine")]
        } _: { result, _, _ in
            _ = try result.get()
        }
    }

    @Test("out of a netrc file that changes")
    func netrc() async throws {
        try await run(Self.guarded("Authorization", Self.basic)) { spec, harness in
            try harness.folder.put(Array("machine 127.0.0.1 login me password hunter2".utf8), "netrc")
            spec.netrcPath = harness.path("netrc")
        } _: { result, server, harness in
            #expect(result.code == .notAuthorized)
            try harness.folder.put(Array("machine 127.0.0.1 login me password hunter1 ".utf8), "netrc")
            var spec = harness.spec(server.url("/f"))
            spec.netrcPath = harness.path("netrc")
            _ = try await harness.run(spec).get()
        }
    }

    @Test("a redirect without TLS leads to no password of another host", arguments: [true, false])
    func redirected(hasEntry: Bool) async throws {
        try await FaultServer.run(["/f": Self.file]) { other in
            let away = "http://localhost:\(other.port)/f"
            try await FaultServer.run(["/f": .redirect(to: away)]) { home in
                try await EngineHarness.run { harness in
                    let entry = hasEntry ? "machine localhost login you password hunter4 " : ""
                    try harness.folder.put(Array((entry + "default login me password hunter1").utf8), "netrc")
                    var spec = harness.spec(home.url("/f"), connections: 2)
                    spec.netrcPath = harness.path("netrc")
                    spec.authentication = .basic
                    _ = try await harness.run(spec).get()
                    #expect(home.log.requests.allSatisfy { $0.facts.header("Authorization") == Self.basic })
                    let there = Set(try await other.settled().requests.map { $0.facts.header("Authorization") })
                    #expect(there == [nil])
                }
            }
        }
    }

    @Test("a redirect to a host that wants credentials names the one that they are for")
    func withheld() async throws {
        try await FaultServer.run(["/f": Self.guarded("Authorization", "Bearer hunter2")]) { other in
            let away = "http://localhost:\(other.port)/f"
            try await FaultServer.run(["/f": .redirect(to: away)]) { home in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(home.url("/f"))
                    spec.headers = [.init(name: "Authorization", value: "Bearer hunter2")]
                    guard case .failure(let error) = await harness.run(spec) else {
                        Issue.record("credentials have crossed an origin")
                        return
                    }
                    #expect(error.detail == .withheld)
                    #expect(error.cause?.contains("http://127.0.0.1:\(home.port)") == true)
                }
            }
        }
    }

    @Test("without TLS, the password is sent only if the server asks for it, and then with every request")
    func asked() async throws {
        let challenge = ServerScript.status(401, ["WWW-Authenticate": "Basic realm=\"a\""])
        let resource = Self.file.script { $0.header("Authorization") == Self.basic ? .normal : challenge }
        try await run(resource) { spec, _ in
            spec.user = "me"
            spec.password = .text("hunter1")
        } _: { result, server, harness in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            let sent = try await server.settled().requests.map { $0.facts.header("Authorization") }
            #expect(sent.first == .some(nil) && sent.count > 1 && sent.dropFirst().allSatisfy { $0 == Self.basic })
        }
    }

    @Test("a server that asks for a digest alone never gets the password")
    func digestOnly() async throws {
        let challenge = ServerScript.status(401, ["WWW-Authenticate": "Digest realm=\"a\", nonce=\"n\""])
        try await run(Self.file.script { _ in challenge }) { spec, _ in
            spec.user = "me"
            spec.password = .text("hunter1")
        } _: { result, server, _ in
            // These tests have no libcurl, which could answer it.
            #expect(result.code == .notAuthorized)
            #expect(server.log.requests.allSatisfy { $0.facts.header("Authorization") == nil })
        }
    }

    @Test("digest and the like are not sent as a header, and say what they need")
    func digest() async throws {
        try await run(Self.file) { spec, _ in
            spec.user = "me"
            spec.password = .text("hunter1")
            spec.authentication = .digest
        } _: { result, server, _ in
            #expect(result.code == .invalidRequest && server.log.requests.isEmpty)
        }
    }

    @Test("what is not to be sent as it is is not where a redirect leads either")
    func digestElsewhere() async throws {
        try await FaultServer.run(["/f": Self.file]) { other in
            try await run(.redirect(to: other.url("/f"))) { spec, harness in
                try harness.folder.put(Array("machine 127.0.0.1 login me password hunter1".utf8), "netrc")
                spec.netrcPath = harness.path("netrc")
                // Used at home, in place of the netrc file.
                spec.bearerToken = .text("hunter2")
                spec.authentication = .digest
            } _: { result, server, _ in
                #expect(result.code == .invalidRequest && server.log.requests.count == 1 && other.log.requests.isEmpty)
            }
        }
    }

    @Test(
        "what can't be read or sent is named",
        arguments: ["password", "token", "netrc", "cookies", "user", "empty", "control", "blank", "json", "folder"])
    func unusable(kind: String) async throws {
        try await run(Self.file) { spec, harness in
            let absent = harness.path("absent")
            spec.user = ["password", "empty", "control", "folder"].contains(kind) ? "me" : nil
            switch kind {
            case "password": spec.password = .file(path: absent)
            case "token": spec.bearerToken = .file(path: absent)
            case "netrc": spec.netrcPath = absent
            case "cookies": spec.cookiePath = absent
            case "user": spec.user = "a:b"
            case "blank": spec.bearerToken = .text("hunter 2")
            case "folder": spec.password = .file(path: harness.folder.path)
            case "json":
                try harness.folder.put(Array("{\"cookies\": []}".utf8), "c")
                spec.cookiePath = harness.path("c")
            case let bad:
                try harness.folder.put(Array((bad == "empty" ? "\n" : "a\u{1}b").utf8), "p")
                spec.password = .file(path: harness.path("p"))
            }
        } _: { result, server, harness in
            #expect(result.code == .invalidRequest && server.log.requests.isEmpty)
            let isPath = !["user", "blank"].contains(kind)
            #expect("\(result)".contains(harness.folder.path) == isPath, "\(result)")
        }
    }
}
