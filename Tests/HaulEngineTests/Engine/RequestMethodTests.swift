import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Requests with a method and a body", .usesSockets)
struct RequestMethodTests {
    private static let file = Resource.file(seed: 71, size: 3_000_000)
    private static let body = DownloadSpec.RequestBody("id=5&word=hunter1", mediaType: "text/x-query")

    /// A spec that posts the body.
    private static func post(_ harness: EngineHarness, _ url: String, connections: Int = 4) -> DownloadSpec {
        var spec = harness.spec(url, connections: connections)
        spec.body = body
        return spec
    }

    /// True if a request has the body, its length and its type.
    private static func hasBody(_ facts: RequestFacts) -> Bool {
        facts.body == body.bytes && facts.header("Content-Length") == "\(body.bytes.count)"
            && facts.header("Content-Type") == "text/x-query"
    }

    @Test("one request, without a range, has method, body, length and type", arguments: ["POST", "PUT", "REPORT"])
    func once(method: String) async throws {
        let resource = Self.file.script { $0.method == method && Self.hasBody($0) ? .normal : .status(405) }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = Self.post(harness, server.url("/f"))
                spec.method = method
                let result = await harness.run(spec)
                _ = try result.get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(harness.names == ["f"])
                #expect(server.requests("/f").count == 1)
                #expect(server.requests("/f").first?.facts.header("Range") == nil)
                #expect(!"\(result) \(harness.events)".contains("hunter"))
            }
        }
    }

    @Test("a header of the caller's names the type, and a method needs no body")
    func ownType() async throws {
        let resource = Self.file.script { facts in
            switch facts.number {
            case 1:
                facts.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value) == ["a/b"]
                    ? .normal : .status(400)
            default: facts.method == "DELETE" && facts.body.isEmpty ? .normal : .status(400)
            }
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = Self.post(harness, server.url("/f"))
                spec.headers = [.init(name: "content-type", value: "a/b")]
                _ = try await harness.run(spec).get()
                (spec.body, spec.method, spec.onConflict) = (nil, "DELETE", .replace)
                _ = try await harness.run(spec).get()
            }
        }
    }

    @Test("201 Created has the file as well")
    func created() async throws {
        let resource = Resource.text("made").script { $0.method == "POST" ? .status(201, body: "made") : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(Self.post(harness, server.url("/f"))).get()
                #expect(harness.bytes("f") == Array("made".utf8))
            }
        }
    }

    @Test(
        "a redirect repeats the request, or makes it a GET, as in curl",
        arguments: [301, 302, 303, 307, 308], ["/g", "/f"])
    func redirect(status: Int, target: String) async throws {
        let repeats = status == 307 || status == 308
        // One that repeats the request at the same URL would be a loop.
        let target = repeats ? "/g" : target
        let final = Self.file.script { facts in
            if facts.path == "/f", facts.method == "POST" {
                return Self.hasBody(facts) ? .redirect(to: target, status: status) : .status(400)
            }
            guard repeats else {
                return facts.method == "GET" && facts.body.isEmpty && facts.header("Content-Type") == nil
                    && facts.header("Content-Length") == nil ? .normal : .status(405)
            }
            return facts.method == "POST" && Self.hasBody(facts) ? .normal : .status(405)
        }
        try await FaultServer.run(["/f": final, "/g": final]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(Self.post(harness, server.url("/f"))).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(server.log.requests.count == 2)
            }
        }
    }

    @Test("after 303, another method becomes a GET as well; after 302, it remains")
    func otherMethods() async throws {
        let resources = [
            "/303": Resource.redirect(to: "/g", status: 303), "/302": .redirect(to: "/p", status: 302),
            "/g": Self.file.script { $0.method == "GET" ? .normal : .status(405) },
            "/p": Self.file.script { $0.method == "PUT" && Self.hasBody($0) ? .normal : .status(405) },
        ]
        try await FaultServer.run(resources) { server in
            try await EngineHarness.run { harness in
                for path in ["/303", "/302"] {
                    var spec = Self.post(harness, server.url(path))
                    (spec.method, spec.onConflict) = ("PUT", .replace)
                    _ = try await harness.run(spec).get()
                }
            }
        }
    }

    @Test("307 to another host takes the body along, and no credentials")
    func otherHost() async throws {
        let there = Self.file.script { facts in
            facts.method == "POST" && Self.hasBody(facts) && facts.header("Authorization") == nil
                && facts.header("X-Key") == nil ? .normal : .status(400)
        }
        try await FaultServer.run(["/f": there]) { other in
            let away = "http://localhost:\(other.port)/f"
            try await FaultServer.run(["/f": .redirect(to: away, status: 307)]) { server in
                try await EngineHarness.run { harness in
                    var spec = Self.post(harness, server.url("/f"))
                    spec.headers = [.init(name: "X-Key", value: "hunter2")]
                    (spec.user, spec.password, spec.authentication) = ("me", .text("hunter3"), .basic)
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == Self.file.allBytes)
                }
            }
        }
    }

    @Test(
        "a broken response is requested again only if the method is idempotent, or the caller allows it",
        arguments: [("POST", false, 1), ("PATCH", false, 1), ("POST", true, 2), ("PUT", false, 2)])
    func broken(method: String, allowed: Bool, requests: Int) async throws {
        let resource = Self.file.script { $0.number == 1 ? .cut(after: 1_000_000) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = Self.post(harness, server.url("/f"))
                (spec.method, spec.repeatsRequest) = (method, allowed)
                let result = await harness.run(spec)
                #expect(server.requests("/f").count == requests)
                #expect(server.requests("/f").allSatisfy { Self.hasBody($0.facts) && $0.facts.header("Range") == nil })
                if requests > 1 {
                    _ = try result.get()
                    #expect(harness.bytes("f") == Self.file.allBytes)
                } else {
                    #expect(result.code == .connectionFailed && result.error?.detail == .notRepeated)
                    #expect(result.error?.message.contains("\(method) is not repeated") == true)
                    #expect(harness.names == [])
                }
            }
        }
    }

    @Test(
        "a request that the server has certainly not carried out is repeated",
        arguments: [(408, 2), (425, 2), (429, 2), (503, 2), (500, 1), (502, 1), (504, 1)])
    func refused(status: Int, requests: Int) async throws {
        let resource = Self.file.script { $0.number == 1 ? .status(status) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                let result = await harness.run(Self.post(harness, server.url("/f")))
                #expect(server.requests("/f").count == requests)
                if requests == 2 { _ = try result.get() } else { #expect(result.code == .serverBusy) }
            }
        }
    }

    @Test("a connection that is closed without a response is not taken for an old one", arguments: [true, false])
    func noResponse(byReset: Bool) async throws {
        let resource = Self.file.script { _ in byReset ? .reset() : .emptyReply() }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                #expect(await harness.run(Self.post(harness, server.url("/f"))).error?.detail == .notRepeated)
                #expect(server.requests("/f").count == 1)
            }
        }
    }

    @Test("without retries, the error says only what happened")
    func noRetries() async throws {
        try await FaultServer.run(["/f": Self.file.script(.cut(after: 1_000_000))]) { server in
            try await EngineHarness.run { harness in
                var spec = Self.post(harness, server.url("/f"))
                spec.retries = 0
                #expect(await harness.run(spec).error?.detail == nil)
            }
        }
    }

    @Test("a login sends the body again")
    func login() async throws {
        let resource = Self.file.script { facts in
            facts.header("Authorization") == "Basic bWU6aHVudGVyMQ=="
                ? .normal : .status(401, ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = Self.post(harness, server.url("/f"))
                (spec.user, spec.password) = ("me", .text("hunter1"))
                _ = try await harness.run(spec).get()
                #expect(server.requests("/f").count == 2)
                #expect(server.requests("/f").allSatisfy { $0.facts.method == "POST" && Self.hasBody($0.facts) })
            }
        }
    }

    @Test("a status that does not exist is an error of the response", arguments: ["GET", "POST"])
    func invalidStatus(method: String) async throws {
        let reply = Self.file.script(
            .raw(Array("HTTP/1.1 000 X\r\nContent-Length: 5\r\n\r\nhello".utf8), closes: false))
        try await FaultServer.run(["/f": reply, "/r": .redirect(to: "/f")]) { server in
            try await EngineHarness.run { harness in
                for path in ["/f", "/r"] {
                    var spec = harness.spec(server.url(path))
                    (spec.method, spec.retries) = (method == "GET" ? nil : method, 0)
                    let code = await harness.run(spec).code
                    #expect(code == .badResponse || code == .unexpectedStatus)
                }
            }
        }
    }

    @Test("no partial file is resumed, and that of a GET of the same URL is kept")
    func partials() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                let size = Int64(Self.file.allBytes.count)
                try await harness.interrupt(harness.spec(server.url("/f")), after: size / 3, server)
                server.throttle(nil)
                #expect(harness.names == ["f.part", "f.part.haul"])
                _ = try await harness.run(Self.post(harness, server.url("/f"))).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(harness.names == ["f", "f.part", "f.part.haul"])
                #expect(server.requests("/f").last?.facts.header("Range") == nil)
            }
        }
    }

    @Test("what is stopped starts again, with the whole request")
    func stopped() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                let spec = Self.post(harness, server.url("/f"))
                try await harness.interrupt(spec, after: 1_000_000, server)
                server.throttle(nil)
                #expect(harness.names == [])
                _ = try await harness.run(spec).get()
                #expect(harness.resumedBytes == [0, 0])
            }
        }
    }

    @Test("a stream is sent as it comes")
    func stream() async throws {
        let resource = Self.file.script { Self.hasBody($0) ? .normal : .status(405) }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var received: [UInt8] = []
                let result = await harness.engine.stream(Self.post(harness, server.url("/f"))) { bytes in
                    received += bytes
                    return true
                }
                _ = try result.get()
                #expect(received == Self.file.allBytes && server.requests("/f").count == 1)
            }
        }
    }

    @Test("what can't be combined is refused before anything is sent")
    func combinations() async throws {
        let changes: [(inout DownloadSpec) -> Void] = [
            { $0.mirrors = [.init(url: "http://h/")] }, { $0.range = ByteRange(0, 5) }, { $0.findsChecksum = true },
            { $0.method = "GET" }, { $0.method = "HEAD" }, { $0.method = "post" }, { $0.method = "A B" },
            { $0.method = "" }, { $0.url = "ftp://127.0.0.1/f" },
            { $0.headers = [.init(name: "content-length", value: "5")] },
            { $0.headers = [.init(name: "Transfer-Encoding", value: "chunked")] },
            { $0.body = Self.body.withoutBytes }, { $0.body?.mediaType = "a\nb" },
            { $0.body = DownloadSpec.RequestBody(repeatElement(0, count: 16 << 20 + 1)) },
        ]
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                for (index, change) in changes.enumerated() {
                    var spec = Self.post(harness, server.url("/f"))
                    change(&spec)
                    #expect(await harness.run(spec).code == .invalidRequest, "\(index)")
                }
                #expect(server.log.requests.isEmpty && harness.names == [])
            }
        }
    }
}
