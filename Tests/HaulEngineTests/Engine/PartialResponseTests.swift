import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Parts that are not what they seem: never a wrong file", .usesSockets)
struct PartialResponseTests {
    static let file = Resource.file(seed: 21, size: 3_000_000)
    static let changed = Resource.file(seed: 22, size: 3_000_000)

    /// All of the file, but asked for by a range from the first request on.
    static let whole = ByteRange(from: 0, to: 3_000_000)

    /// Downloads what is scripted and expects these bytes.
    static func expect(
        _ bytes: [UInt8], connections: Int, range: ByteRange? = nil, _ script: @escaping ServerBehaviour
    ) async throws {
        try await FaultServer.run(["/f": file.script(script)]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.range = range
                _ = try await harness.run(spec).get()
                let isRight = harness.bytes("f") == bytes
                #expect(isRight, "a wrong file was called complete")
                #expect(harness.names == ["f"])
            }
        }
    }

    @Test("a capped part of a whole of unknown size is not the whole", arguments: [1, 4])
    func unknownTotal(connections: Int) async throws {
        try await Self.expect(Self.file.allBytes, connections: connections) { _ in
            .partial(atMost: 1 << 20).contentRange(.total(nil))
        }
    }

    @Test("the size is told once, and never again", arguments: [1, 4])
    func totalOnce(connections: Int) async throws {
        try await Self.expect(Self.file.allBytes, connections: connections) { facts in
            let part = ServerScript.partial(atMost: 1 << 20)
            return facts.number == 1 ? part : part.contentRange(.total(nil))
        }
    }

    @Test("chunks that hold more than the part that was announced", arguments: [1, 4], [2_000, 700_000] as [Int64])
    func junkBehind(connections: Int, atMost: Int64) async throws {
        try await Self.expect(Self.file.allBytes, connections: connections, range: Self.whole) { facts in
            // Small parts only at the start, where the bytes wait for the file to be opened.
            atMost < 64 << 10 && facts.number > 2 ? .normal : .partial(atMost: atMost).chunked().bodyLonger(by: 5000)
        }
    }

    @Test(
        "changed while segments run, If-Range ignored, and the part does not say its version",
        arguments: [nil, "W/\"21-3000000\""] as [String?], [1, 4])
    func changedInSilence(etag: String?, connections: Int) async throws {
        let changed = Self.changed.lastModified(nil)
        try await Self.expect(changed.allBytes, connections: connections, range: Self.whole) { facts in
            facts.number <= 2 ? .partial(atMost: 400_000) : .serving(changed).ignoringIfRange().etag(etag)
        }
    }
}
