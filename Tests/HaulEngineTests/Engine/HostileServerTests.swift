import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

/// One fault, and what may come of it: the right file, or one of these errors.
///
/// A wrong file never.
struct HostileCase: Sendable, CustomTestStringConvertible {
    let name: String
    let resource: Resource
    let codes: Set<DownloadError.Code>

    var testDescription: String { name }

    /// A case that must end with the right file.
    static func right(_ name: String, _ script: @escaping ServerBehaviour) -> HostileCase {
        HostileCase(name: name, resource: file.script(script), codes: [])
    }

    /// A case that must fail with this error.
    static func fails(
        _ name: String, _ code: DownloadError.Code, _ script: @escaping ServerBehaviour
    ) -> HostileCase {
        HostileCase(name: name, resource: file.script(script), codes: [code])
    }

    static let size: Int64 = 3_000_000
    static let file = Resource.file(seed: 7, size: size)
    static let changed = Resource.file(seed: 8, size: size)

    static let once: @Sendable (RequestFacts, ServerScript) -> ServerScript = { facts, script in
        facts.number == 1 ? script : .normal
    }
}

@Suite("Hostile servers: the right file or a clear error", .usesSockets)
struct HostileServerTests {
    static let cases: [HostileCase] = [
        .right("cut before the head") { HostileCase.once($0, .emptyReply()) },
        .right("cut in the head") { HostileCase.once($0, .cutInHead(after: 40)) },
        .right("cut after some bytes, again and again") { _ in .cut(after: 300_000) },
        .right("reset before the head") { HostileCase.once($0, .reset()) },
        .right("reset in the body") { HostileCase.once($0, .reset(after: 1_000_000)) },
        .right("short body") { HostileCase.once($0, .bodyShorter(by: 1000)) },
        .right("long body") { _ in .bodyLonger(by: 5000) },
        .right("chunked") { _ in .chunked() },
        .right("broken chunk size") { HostileCase.once($0, .chunked(size: 8192, .size("xyz", after: 100_000))) },
        .right("missing last chunk") { HostileCase.once($0, .chunked(size: 8192, .noLastChunk)) },
        .right("no length") { _ in .withoutLength() },
        .right("ranges ignored") { _ in .ignoringRange() },
        .right("ranges ignored but for the first request") { $0.number == 1 ? .normal : .ignoringRange() },
        .right("200 with only a part, the first time") { HostileCase.once($0, .cut(after: 400_000)) },
        .right("Content-Range of another offset") { $0.start == 0 ? .normal : .contentRange(.moved(by: 17)) },
        .right("Content-Range with another total, once") { $0.number == 2 ? .contentRange(.total(12_345)) : .normal },
        .right("Content-Range in another unit") { _ in .contentRange(.unit("items")) },
        .right("Content-Range of rubbish") { _ in .contentRange(.text("bytes rubbish")) },
        .right("no Content-Range") { _ in .contentRange(.missing) },
        .right("another range than asked") { $0.start == 0 ? .normal : .rangeMoved(by: 4096) },
        .right("less than asked for") { _ in .partial(atMost: 700_000) },
        .right("several parts") { $0.range == nil ? .normal : .multipart() },
        .right("429 with Retry-After") { HostileCase.once($0, .status(429, ["Retry-After": "0"])) },
        .right("503 with a date") {
            HostileCase.once($0, .status(503, ["Retry-After": ServerDate.fromNow(seconds: 0)]))
        },
        .right("503 without Retry-After") { HostileCase.once($0, .status(503)) },
        .right("500, 502, 504 in turn") { $0.number < 4 ? .status([500, 502, 504][$0.number - 1]) : .normal },
        .right("416 at the start, then right") { HostileCase.once($0, .status(416)) },
        .right("interim answers") { _ in .interim(103, ["Link": "</x>"]) },
        .right("a slow head") { _ in .slowHead(.microseconds(300)) },
        .right("every answer closes the connection") { _ in .closing() },
        .right("changed while segments run") { $0.number < 3 ? .normal : .serving(HostileCase.changed) },
        .fails("404", .notFound) { _ in .status(404) },
        .fails("410", .notFound) { _ in .status(410) },
        .fails("403", .notAuthorized) { _ in .status(403) },
        .fails("401", .notAuthorized) { _ in .status(401) },
        .fails("418", .unexpectedStatus) { _ in .status(418) },
        .fails("204", .unexpectedStatus) { _ in .status(204) },
        .fails("always 503", .serverBusy) { _ in .status(503, ["Retry-After": "0"]) },
        .right("gzip in spite of identity") { _ in .gzipped().header("Content-Type", "text/plain") },
        .fails("a transfer coding that was not asked for", .contentEncoded) { _ in
            .gzipped().chunked().withoutHeader("Content-Encoding").header("Transfer-Encoding", "gzip, chunked")
        },
        .fails("redirect without an end", .redirectRefused) { .redirect(to: "/f?\($0.number)") },
        .fails("redirect loop", .redirectRefused) { _ in .redirect(to: "/f") },
        .fails("redirect to file", .redirectRefused) { _ in .redirect(to: "file:///etc/passwd") },
        .fails("no HTTP at all", .badResponse) { _ in .garbage(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)) },
        .fails("a head without end", .badResponse) { _ in .headerFlood(3 << 20) },
        .fails("never answers", .timedOut) { _ in .silence() },
        .fails("always cut before the head", .connectionFailed) { _ in .emptyReply() },
    ]

    @Test("the right file or the named error", arguments: cases, [1, 4])
    func fault(_ trial: HostileCase, connections: Int) async throws {
        try await FaultServer.run(["/f": trial.resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.idleTimeout = trial.codes == [.timedOut] ? .milliseconds(300) : .seconds(20)
                spec.retries = trial.codes == [.timedOut] ? 0 : 4
                let result = await harness.run(spec)
                if trial.codes.isEmpty {
                    _ = try result.get()
                    let got = harness.bytes("f")
                    let right = got == HostileCase.file.allBytes || got == HostileCase.changed.allBytes
                    #expect(right, "a wrong file was called complete")
                    #expect(harness.names == ["f"])
                } else {
                    #expect(trial.codes.contains(try #require(result.code)), "\(result)")
                    #expect(harness.bytes("f") == nil)
                }
            }
        }
    }

    @Test("a stall is noticed, only that connection is dropped, and the rest is fetched", arguments: [1, 4])
    func stall(connections: Int) async throws {
        let resource = HostileCase.file.script { $0.number == 1 ? .stall(after: 200_000) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.idleTimeout = .milliseconds(500)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == HostileCase.file.allBytes)
            }
        }
    }

    @Test("without validators, a single byte behind what was compared does not end the comparing")
    func oneByteMore() async throws {
        let plain = { (resource: Resource) in resource.etag(nil).lastModified(nil) }
        let changed = plain(HostileCase.changed)
        let resource = plain(HostileCase.file).script { facts in
            facts.number == 1 ? .cut(after: 1_000_000) : facts.number == 2 ? .cut(after: 65_537) : .serving(changed)
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == HostileCase.changed.allBytes, "a wrong file was called complete")
            }
        }
    }

    @Test("content shifted within a right head is never published under a checksum")
    func shifted() async throws {
        // The first connection is slow, so that others are opened on a busy machine, too.
        let resource = HostileCase.file.script {
            $0.start > 0 ? .contentShifted(by: 3) : $0.number == 1 ? .throttle(1_000_000) : .normal
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: 4)
                spec.checksum = try Digests.sha256(HostileCase.file.allBytes)
                // Usually the bytes beyond the end of the first segment show it, and all is fetched again.
                switch await harness.run(spec) {
                case .success: #expect(harness.bytes("f") == HostileCase.file.allBytes)
                case .failure(let error): #expect(error.code == .checksumMismatch && harness.names == [])
                }
            }
        }
    }

    @Test("a limit per client means fewer connections, not failure", arguments: [503, 429, 403])
    func limited(status: Int) async throws {
        let resource = Resource.file(seed: 3, size: 8_000_000).script { facts in
            facts.concurrent > 2 ? .status(status) : .throttle(4_000_000)
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: 6)
                spec.retries = 0
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == resource.allBytes)
                let refused = try await server.settled().requests.filter { $0.status == status }.count
                #expect(refused <= 10)
            }
        }
    }

    @Test("an endless body ends at the size that was announced")
    func endless() async throws {
        let resource = HostileCase.file.script { facts in facts.number == 1 ? .bodyLonger(by: 50_000_000) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == HostileCase.file.allBytes)
            }
        }
    }
}
