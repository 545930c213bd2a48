import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A main source beside a mirror", .usesSockets)
struct MainSourceTests {
    private static let newDate = "Thu, 02 Jan 2025 12:00:00 GMT"
    private static let size = MirrorTrial.size

    /// Two runs: in the first one the main source is busy, and a mirror describes the bytes; in the second one the main source is
    /// `main`.
    private static func run(
        _ main: Resource, connections: Int, _ body: (EngineHarness) throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": MirrorTrial.file.script(.status(503))]) { first in
            try await FaultServer.run(["/g": MirrorTrial.file.etag("\"mirror\"")]) { second in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: connections)
                    spec.tuning.retryWait = .milliseconds(50)
                    spec.mirrors = [.init(url: second.url("/g"))]
                    try await harness.interrupt(spec, after: 1_000_000, second)
                    first.set("/f", main)
                    second.throttle(nil)
                    _ = try await harness.run(spec).get()
                    try body(harness)
                }
            }
        }
    }

    @Test(
        "its newer file wins over that of a mirror as soon as it responds, whatever its size, ranges and validators",
        arguments: [
            Resource.file(seed: 64, size: size - 900_000).lastModified(newDate),
            Resource.file(seed: 64, size: size).lastModified(newDate),
            Resource.file(seed: 64, size: size + 100_000).lastModified(newDate),
            Resource.file(seed: 64, size: size).lastModified(newDate).withoutRanges(),
            Resource.file(seed: 64, size: size - 900_000).withoutRanges().lastModified(nil).script(.chunked()),
            Resource.file(seed: 64, size: size - 900_000).etag(nil).lastModified(nil),
            Resource.file(seed: 64, size: size - 900_000).etag(nil).lastModified(nil).withoutRanges(),
        ], [1, 4])
    func isBack(new: Resource, connections: Int) async throws {
        try await Self.run(new, connections: connections) { #expect($0.bytes("f") == new.allBytes) }
    }

    @Test(
        "if it has the same file, or still does not respond, the mirror's bytes are continued",
        arguments: [true, false],
        [1, 4])
    func agrees(isBack: Bool, connections: Int) async throws {
        let main = isBack ? MirrorTrial.file : MirrorTrial.file.script(.status(503))
        try await Self.run(main, connections: connections) { harness in
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.resumedBytes.last ?? 0 >= 900_000)
            #expect(!harness.events.contains(.notice(.sourceChanged)))
        }
    }

    @Test(
        "bytes of unknown size are continued by the source that sent them, also beside a mirror",
        arguments: [true, false], [true, false])
    func unknownSize(mirrorAtFirst: Bool, breaks: Bool) async throws {
        let main = MirrorTrial.file.script(.chunked())
        try await FaultServer.run(["/f": main]) { first in
            try await FaultServer.run(["/g": main.etag("\"mirror\"")]) { second in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: 2)
                    spec.tuning.retryWait = .milliseconds(50)
                    let mirrors = [DownloadSpec.Mirror(url: second.url("/g"))]
                    if mirrorAtFirst { spec.mirrors = mirrors }
                    try await harness.interrupt(spec, after: 1_000_000, first)
                    first.throttle(2_000_000)
                    let count = try await first.settled().requests("/f").count
                    if breaks {
                        first.set(
                            "/f", MirrorTrial.file.script { $0.number == count + 2 ? .cut(after: 200_000) : .chunked() }
                        )
                    }
                    spec.mirrors = mirrors
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
                    #expect(harness.resumedBytes.last ?? 0 >= 900_000)
                }
            }
        }
    }

    @Test("also within a run: a break does not start the file again from the mirror")
    func unknownSizeBreaks() async throws {
        let main = MirrorTrial.file.script { $0.number == 1 ? .chunked().cut(after: 1_000_000) : .chunked() }
        try await MirrorTrial.run(main: main, mirror: MirrorTrial.file.script(.chunked()), connections: 2) {
            harness, result, first, second in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(first.totalBodyBytes + second.totalBodyBytes < MirrorTrial.size + 500_000)
        }
    }
}
