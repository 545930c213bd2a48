import Foundation
import Haul
import HaulCore
import HaulTestData
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Only a range of the resource is fetched", .usesSockets)
struct OwnRangeTests {
    static let size: Int64 = 6_000_000
    static let file = Resource.file(seed: 61, size: size)

    /// Downloads a range of a resource.
    static func run(
        _ resource: Resource, _ range: ByteRange?, connections: Int = 1, checksum: Checksum? = nil,
        _ check: (EngineHarness, FaultServer, Result<FinishFacts, DownloadError>) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.range = range
                spec.checksum = checksum
                try await check(harness, server, await harness.run(spec))
            }
        }
    }

    @Test(
        "these bytes become the whole file, and no others are fetched", arguments: [1, 4],
        [
            ByteRange(0, 1), ByteRange(0, 3_000_000), ByteRange(1_234_567, 4_000_001), ByteRange(5_999_999, 9_000_000),
            ByteRange(3_000_000, .max), ByteRange(0, .max),
        ])
    func range(connections: Int, range: ByteRange?) async throws {
        let range = try #require(range)
        let wanted = range.lowerBound..<min(range.upperBound, Self.size)
        try await Self.run(
            Self.file, range, connections: connections, checksum: try Digests.sha256(Self.file.bytes(wanted))
        ) { harness, server, result in
            let facts = try result.get()
            #expect(facts.totalBytes == Int64(wanted.count))
            #expect(harness.bytes("f") == Self.file.bytes(wanted))
            #expect(harness.names == ["f"])
            let served = try await server.settled().requests("/f").compactMap(\.served)
            #expect(served.allSatisfy { $0.clamped(to: wanted) == $0 })
        }
    }

    @Test("a server without ranges: fine from 0 on, the rest is not read; refused elsewhere", arguments: [true, false])
    func withoutRanges(hasLength: Bool) async throws {
        let whole = Self.file.withoutRanges()
        let resource = hasLength ? whole : whole.script { _ in .normal.chunked() }
        try await Self.run(resource, ByteRange(0, 1_000_000)) { harness, server, result in
            let facts = try result.get()
            #expect(facts.totalBytes == 1_000_000)
            #expect(harness.bytes("f") == Self.file.bytes(0..<1_000_000))
            #expect(harness.names == ["f"])
            let sent = try await server.settled().bodyBytes("/f")
            #expect(sent < Self.size)
        }
        try await Self.run(resource, ByteRange(10, 1_000_000)) { harness, _, result in
            #expect(result.code == .badResponse)
            #expect(harness.names == [])
        }
    }

    @Test("a chunked whole that is shorter than the range is the file")
    func shortChunked() async throws {
        let resource = Resource.file(seed: 62, size: 500_000).withoutRanges().script { _ in .normal.chunked() }
        try await Self.run(resource, ByteRange(0, 1_000_000)) { harness, _, result in
            let facts = try result.get()
            #expect(facts.totalBytes == 500_000)
            #expect(harness.bytes("f") == resource.allBytes)
        }
    }

    @Test("a range behind the end is refused, with the size", arguments: [size, size + 1, 1 << 60])
    func beyond(lower: Int64) async throws {
        try await Self.run(Self.file, ByteRange(lower, .max)) { harness, _, result in
            guard case .failure(let error) = result else { return #expect(Bool(false), "it went well") }
            #expect(error.code == .invalidRequest)
            #expect(error.message.contains("only \(Self.size) bytes"))
            #expect(harness.names == [])
        }
    }

    @Test("faulty answers: cuts, small parts, more than was asked for", arguments: 0..<4, [1, 4])
    func faults(kind: Int, connections: Int) async throws {
        let resource = Self.file.script { facts in
            switch kind {
            case 0: facts.number < 3 ? .cut(after: 300_000) : .normal
            case 1: .partial(atMost: 700_000)
            case 2: facts.number == 1 ? .status(503) : .normal
            default: facts.number == 2 ? .rangeMoved(by: 1000) : .normal
            }
        }
        try await Self.run(resource, ByteRange(1_000_001, 5_000_000), connections: connections) { harness, _, result in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.bytes(1_000_001..<5_000_000))
        }
    }

    @Test(
        "a server that answers If-Range with everything: the beginning is not taken for the part's", arguments: [2, 4])
    func misreadIfRange(connections: Int) async throws {
        let range = ByteRange(from: 1_000_001, to: 5_000_000)
        let resource = Self.file.script { facts in
            guard facts.start == range.lowerBound else { return .normal }
            return facts.number == 1 ? .stall(after: 0) : .refusingIfRange()
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.range = range
                spec.idleTimeout = .milliseconds(500)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.bytes(range.lowerBound..<range.upperBound))
            }
        }
    }

    @Test("interrupted and gone on with; another range does not go on from it", arguments: [1, 4], [true, false])
    func resumes(connections: Int, isSame: Bool) async throws {
        try await FaultServer.run(["/f": Self.file], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.range = ByteRange(1_000_000, 5_500_000)
                try await harness.interrupt(spec, after: 2_000_000, server)
                server.throttle(nil)
                if !isSame { spec.range = ByteRange(1_000_001, 5_500_001) }
                let range = try #require(spec.range)
                _ = try await harness.run(spec).get()
                #expect((harness.resumedBytes.last ?? 0 >= 2_000_000) == isSame)
                #expect(harness.bytes("f") == Self.file.bytes(range.lowerBound..<range.upperBound))
            }
        }
    }

    @Test("a look at a range, or a POST, leaves the partial file of the whole alone", arguments: [true, false])
    func leavesWhole(isRange: Bool) async throws {
        try await FaultServer.run(["/f": Self.file], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                let whole = harness.spec(server.url("/f"))
                try await harness.interrupt(whole, after: 2_000_000, server)
                server.throttle(nil)
                var other = whole
                if isRange { other.range = ByteRange(0, 100) } else { other.body = .init("x=1") }
                _ = try await harness.run(other).get()
                #expect(harness.bytes("f")?.count == (isRange ? 100 : Int(Self.size)))
                #expect(harness.names == ["f", "f.part", "f.part.haul"])
                try FileManager.default.removeItem(atPath: harness.folder.path("f"))
                _ = try await harness.run(whole).get()
                #expect(harness.resumedBytes.last ?? 0 >= 2_000_000)
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(harness.names == ["f"])
            }
        }
    }

    @Test("changed between the runs: the part of the new file")
    func changed() async throws {
        let new = Resource.file(seed: 63, size: Self.size)
        try await FaultServer.run(["/f": Self.file], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: 2)
                spec.range = ByteRange(1_000_000, 5_500_000)
                try await harness.interrupt(spec, after: 2_000_000, server)
                server.throttle(nil)
                server.set("/f", new)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == new.bytes(1_000_000..<5_500_000))
            }
        }
    }

    @Test("a version of another size is not mixed in, whatever its validators say")
    func otherSize() async throws {
        let longer = Resource.file(seed: 62, size: Self.size + 10)
        let count = Mutex(0)
        let resource = Self.file.script { facts in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard !isFirst, let range = facts.range?.resolved(in: longer.size) else { return .normal }
            let head =
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(longer.size)\r\n"
                + "Content-Length: \(range.count)\r\n\r\n"
            return .raw(head.latin1 + longer.bytes(range), closes: false)
        }
        try await Self.run(resource, ByteRange(1_000_000, 5_000_000), connections: 4) { harness, _, result in
            guard case .success = result else { return }
            let bytes = harness.bytes("f")
            #expect(bytes == Self.file.bytes(1_000_000..<5_000_000) || bytes == longer.bytes(1_000_000..<5_000_000))
        }
    }
}
