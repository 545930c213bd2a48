import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Trying again", .usesSockets)
struct RetryTests {
    static let file = Resource.file(seed: 41, size: 3_000_000)

    @Test("a server that restarts fails all connections at once: that counts as one failure each time")
    func restart() async throws {
        let size: Int64 = 6_000_000
        let file = Resource.file(seed: 42, size: size)
        try await FaultServer.run(["/f": file], throttle: size) { server in
            // The waits are far longer than the failures of one instant can be apart.
            try await EngineHarness.run(firstRetryDelay: .seconds(1)) { harness in
                var spec = harness.spec(server.url("/f"), connections: 4)
                spec.retries = 2
                try await harness.interrupt(spec, after: size / 3, server)
                server.throttle(nil)
                let before = server.requests("/f").count
                server.set(
                    "/f",
                    file.script { facts in
                        switch facts.number - before {
                        case ...4: .reset()
                        case 5...8: .status(503)
                        default: .normal
                        }
                    })
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == file.allBytes)
                #expect(harness.waits == 2)
            }
        }
    }

    @Test("a kept connection that is closed in the instant of its reuse costs no retry", arguments: [true, false])
    func closedAtReuse(byReset: Bool) async throws {
        let resource = Self.file.script { facts in
            if facts.numberOnConnection == 1 { return .partial(atMost: 700_000) }
            return byReset ? .reset() : .emptyReply()
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                // A part: so there is more than one request.
                (spec.retries, spec.range) = (0, ByteRange(from: 0, to: Int64(Self.file.allBytes.count)))
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(harness.waits == 0)
                #expect(server.requests("/f").contains { $0.facts.numberOnConnection == 2 })
            }
        }
    }

    @Test("a server that closes each further connection too has failed")
    func closedForGood() async throws {
        let resource = Self.file.script { $0.number == 1 ? .partial(atMost: 700_000) : .emptyReply() }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                // A part: so there is more than one request.
                (spec.retries, spec.range) = (0, ByteRange(from: 0, to: Int64(Self.file.allBytes.count)))
                #expect(await harness.run(spec).code == .connectionFailed)
                // The second request over the first connection, and twice a new one.
                #expect(server.requests("/f").count == 4)
            }
        }
    }

    @Test("the place that a redirect led to dies: the original is asked where to go now", arguments: [true, false])
    func deadTarget(byCut: Bool) async throws {
        let dead: ServerScript = byCut ? .emptyReply() : .status(500)
        let resources = [
            "/f": Resource.text("").script { .redirect(to: $0.number == 1 ? "/a" : "/b") },
            "/a": Self.file.script { $0.number == 1 ? .partial(atMost: 400_000) : dead },
            "/b": Self.file,
        ]
        try await FaultServer.run(resources) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.range = ByteRange(from: 0, to: Int64(Self.file.allBytes.count))
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(server.requests("/f").count == 2)
                #expect(server.requests("/b").allSatisfy { $0.facts.start > 0 })
            }
        }
    }

    @Test("a status that nobody has defined is tried again like 500", arguments: [507, 520, 599])
    func unknownStatus(status: Int) async throws {
        let resource = Self.file.script { $0.number == 1 ? .status(status) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(harness.waits == 1)
            }
        }
    }

    @Test(
        "a body that is cut short is said to be, over both transports, and is no change of the file",
        arguments: [true, false], [true, false])
    func cutShort(overCurl: Bool, hasRanges: Bool) async throws {
        let resource = Self.file.script { facts in
            if facts.number > 1, hasRanges { return .emptyReply() }
            return (hasRanges ? ServerScript.normal : .ignoringRange()).cut(after: 300_000)
        }
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            var configuration = EngineConfiguration()
            configuration.firstRetryDelay = .milliseconds(5)
            let engine = try DownloadEngine(configuration)
            var spec = DownloadSpec(url: server.url("/f"), destination: .file(path: folder.path + "/f"))
            (spec.connections, spec.retries) = (.fixed(1), 2)
            if overCurl { (spec.user, spec.password, spec.authentication) = ("me", Secret.text("pw"), .digest) }
            let waits = Mutex<[WaitReason]>([])
            let result = await engine.run(spec) { event in
                if case .waiting(let reason, _) = event { waits.withLock { $0.append(reason) } }
            }
            await engine.shutdown()
            guard case .failure(let error) = result else {
                Issue.record("a part was called the file")
                return
            }
            #expect(error.code == .connectionFailed)
            // Bytes that come while the file is being opened may be lost with the connection, so the first number varies,
            // and the second attempt may count as progress.
            if !hasRanges {
                #expect(error.message.hasPrefix("the connection was closed after "))
                #expect(error.message.hasSuffix(" of 3000000 bytes"))
            }
            #expect((hasRanges ? 2...2 : 2...3).contains(waits.withLock { $0 }.count))
            #expect(folder.bytes("f") == nil)
        }
    }

    @Test("headers that are too large are asked for once")
    func headTooLarge() async throws {
        let resource = Self.file.script { _ in .headerFlood(3 << 20) }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.retries = 4
                #expect(await harness.run(spec).code == .badResponse)
                #expect(server.requests("/f").count == 1 && harness.waits == 0)
            }
        }
    }

    @Test("a server that does not speak HTTP is asked once, and what it sent is named")
    func noHTTP() async throws {
        let greeting = ServerScript.raw(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), closes: false)
        try await FaultServer.run(["/f": Self.file.script { _ in greeting }]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.retries = 4
                guard case .failure(let error) = await harness.run(spec) else { return #expect(Bool(false)) }
                #expect(error.code == .badResponse && error.detail == .serverWithoutHTTP)
                #expect(error.description == "not an HTTP server: it sent \"SSH-2.0-OpenSSH_9.2\"")
                #expect(server.requests("/f").count == 1 && harness.waits == 0)
            }
        }
    }

    @Test("a page that says that TLS is expected is read, also for one of many downloads", arguments: [false, true])
    func plainHTTPToHTTPS(isOneOfMany: Bool) async throws {
        let page = "<title>400 The plain HTTP request was sent to HTTPS port</title>"
        try await FaultServer.run(["/f": Self.file.script { _ in .status(400, body: page) }]) { server in
            try await EngineHarness.run { harness in
                var options = RunOptions()
                options.expectsSmall = isOneOfMany
                guard case .failure(let error) = await harness.run(harness.spec(server.url("/f")), options) else {
                    return #expect(Bool(false))
                }
                #expect(error.code == .unexpectedStatus && error.detail == .serverWithTLS)
                #expect(server.requests("/f").count == 1)
            }
        }
    }

    @Test(
        "a port where nobody listens is tried twice; with time, as often as any other failure",
        arguments: [(false, false), (true, false), (false, true)])
    func nobodyThere(hasTime: Bool, isAsked: Bool) async throws {
        let server = try await FaultServer.start([:])
        let url = server.url("/f")
        await server.stop()
        try await EngineHarness.run { harness in
            var spec = harness.spec(url)
            (spec.retries, spec.retriesUnreachable) = (4, isAsked)
            var options = RunOptions()
            options.retriesUnreachable = hasTime
            #expect(await harness.run(spec, options).code == .connectionFailed)
            #expect(harness.waits == (hasTime || isAsked ? 4 : 1))
        }
    }

    /// A slot that is given up and never returned.
    private struct LostSlot: RunSlot {
        func park() -> Bool { true }
        func reclaim() -> Bool { false }
    }

    @Test("the maximum time includes the wait for a slot", .timeLimit(.minutes(5)))
    func maxTimeWithoutSlot() async throws {
        try await FaultServer.run(["/f": Self.file.script(.status(503))]) { server in
            try await EngineHarness.run(firstRetryDelay: .milliseconds(200)) { harness in
                var spec = harness.spec(server.url("/f"))
                spec.maxTime = .milliseconds(500)
                var options = RunOptions()
                options.slot = LostSlot()
                let result = await harness.run(spec, options)
                #expect(result.error?.isOfMaximumTime == true)
                #expect(server.requests("/f").count == 1)
            }
        }
    }
}
