import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Limits, stops and events", .usesSockets, .timeLimit(.minutes(10)))
struct PaceTests {
    @Test("the rate limit holds over all connections")
    func rateLimit() async throws {
        let resource = Resource.file(seed: 2, size: 1_000_000)
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run(rateLimit: 1_000_000) { harness in
                let facts = try await harness.run(harness.spec(server.url("/f"), connections: 3)).get()
                #expect(harness.bytes("f") == resource.allBytes)
                // Not faster than allowed; how much slower is the machine's business.
                #expect(facts.seconds > 0.85)
            }
        }
    }

    @Test("the download's own limit holds besides the engine's", arguments: [nil, 50_000_000] as [Int64?])
    func ownLimit(common: Int64?) async throws {
        let resource = Resource.file(seed: 2, size: 3_000_000)
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run(rateLimit: common) { harness in
                var options = RunOptions()
                options.limiter = RateLimiter(bytesPerSecond: 2_000_000)
                let facts = try await harness.run(harness.spec(server.url("/f")), options).get()
                #expect(harness.bytes("f") == resource.allBytes)
                // What came with the last read, at most a MiB, nobody waits for.
                #expect(facts.seconds > 0.85)
            }
        }
    }

    @Test("a limit that is lifted frees a transfer that would be held back for hours", arguments: [true, false])
    func lifted(isCommon: Bool) async throws {
        let resource = Resource.file(seed: 2, size: 3_000_000)
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run(rateLimit: isCommon ? 100 : nil) { harness in
                var options = RunOptions()
                let limiter = RateLimiter(bytesPerSecond: 100)
                if !isCommon { options.limiter = limiter }
                // Without the lift it would take hours: the suite's time limit is what fails then.
                _ = try await harness.run(harness.spec(server.url("/f"), connections: 2), options) { event in
                    guard case .progress(let progress) = event, progress.sessionBytes > 0 else { return }
                    if isCommon { try? harness.engine.setRateLimit(nil) } else { limiter.set(bytesPerSecond: nil) }
                }.get()
                #expect(harness.bytes("f") == resource.allBytes)
            }
        }
    }

    @Test("a limit so low that its pauses are longer than the idle timeout is no silence of the server")
    func lowRate() async throws {
        // Each full read of 4 KiB is followed by a pause of 2.7 s.
        let resource = Resource.file(seed: 2, size: 9_500)
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run(rateLimit: 1_500) { harness in
                var spec = harness.spec(server.url("/f"))
                spec.idleTimeout = .seconds(2)
                let facts = try await harness.run(spec).get()
                #expect(facts.seconds > 2.5)
                #expect(harness.bytes("f") == resource.allBytes)
                #expect(server.requests("/f").count == 1)
                #expect(harness.waits == 0)
            }
        }
    }

    @Test("a stop while a file that stands there is hashed does not wait for the digest")
    func stopWhileHashing() async throws {
        let (begun, signal) = AsyncStream<Void>.makeStream()
        let calls = SystemCallFaults { _, call in
            if call.kind == .pread, call.path.hasSuffix("/f") { signal.finish() }
            return .proceed
        }
        try await FaultServer.run([:]) { server in
            try await EngineHarness.run(system: calls.system()) { harness in
                try harness.folder.put([], "f")
                let file = try #require(FileHandle(forWritingAtPath: harness.path("f")))
                try file.truncate(atOffset: 8 << 30)
                try file.close()
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .keep
                spec.checksum = try Digests.sha256([])
                let run = Task { await harness.run(spec) }
                for await _ in begun {}
                run.cancel()
                #expect(await run.value.code == .cancelled)
                let read = calls.calls.reduce(Int64(0)) { sum, call in
                    if case .pread(_, _, let count) = call { sum + Int64(count) } else { sum }
                }
                #expect(read < 8 << 30)
                #expect(harness.names == ["f"])
                #expect(server.log.requests.isEmpty)
            }
        }
    }

    @Test("a stop during a wait for the server ends at once, a stop during silence too")
    func stopWhileWaiting() async throws {
        for script in [ServerScript.status(503, ["Retry-After": "3600"]), .silence()] {
            try await FaultServer.run(["/f": Resource.file(seed: 1, size: 1000).script(script)]) { server in
                try await EngineHarness.run { harness in
                    let spec = harness.spec(server.url("/f"))
                    let run = Task { await harness.run(spec) }
                    _ = try await server.until { !$0.requests.isEmpty }
                    run.cancel()
                    let clock = ContinuousClock()
                    let asked = clock.now
                    #expect(await run.value.code == .cancelled)
                    #expect(clock.now - asked < .seconds(30))
                    #expect(harness.names == [])
                }
            }
        }
    }

    @Test("started comes first, progress never goes back or beyond the size, one end comes last")
    func events() async throws {
        let resource = Resource.file(seed: 2, size: 4_000_000)
        try await FaultServer.run(["/f": resource], throttle: 8_000_000) { server in
            try await EngineHarness.run { harness in
                let log = EventLog()
                _ = try await harness.run(harness.spec(server.url("/f"), connections: 4)) { log.add($0) }.get()
                let events = log.events
                guard case .started(let facts)? = events.first else { return #expect(Bool(false), "\(events)") }
                #expect(facts.totalBytes == 4_000_000)
                guard case .finished? = events.last else { return #expect(Bool(false), "\(events)") }
                let bytes = events.compactMap {
                    if case .progress(let progress) = $0 { progress.fileBytes } else { nil }
                }
                #expect(bytes == bytes.sorted())
                #expect(bytes.allSatisfy { $0 <= 4_000_000 })
                #expect(!bytes.isEmpty)
            }
        }
    }

    @Test("automatic connections: more where each is limited")
    func automatic() async throws {
        let resource = Resource.file(seed: 2, size: 12_000_000).script { _ in .throttle(2_000_000) }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.connections = .automatic(limit: 6)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == resource.allBytes)
                // How far it gets is measured speed, which a busy machine spoils; that it tries is not.
                #expect(server.maximumConcurrent >= 2)
                #expect(server.maximumConcurrent <= 6)
            }
        }
    }

    @Test(
        "a bad spec fails clearly and makes no request",
        arguments: ["gopher://h/f", "nonsense", "http://", "http://h:99999/"])
    func badURL(url: String) async throws {
        try await EngineHarness.run { harness in
            #expect(await harness.run(harness.spec(url)).code == .invalidRequest)
            #expect(harness.names == [])
        }
    }

    @Test("nobody there: refused, or no such host")
    func nobody() async throws {
        try await EngineHarness.run { harness in
            var spec = harness.spec("http://127.0.0.1:1/f")
            spec.retries = 1
            #expect(await harness.run(spec).code == .connectionFailed)
            #expect(harness.events.contains { if case .waiting = $0 { true } else { false } })
            var name = harness.spec("http://no-such-host.invalid/f")
            name.retries = 0
            #expect(await harness.run(name).code == .nameNotResolved)
        }
    }
}
