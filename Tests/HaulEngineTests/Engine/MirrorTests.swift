import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

/// What is wrong with one of two sources.
struct MirrorFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let resource: Resource
    /// Whether it is noticed, so that the source is left out and named.
    var isNamed = true

    init(_ name: String, named: Bool = true, _ script: @escaping ServerBehaviour) {
        self.init(name, MirrorTrial.file.script(script), named: named)
    }

    init(_ name: String, _ resource: Resource, named: Bool = true) {
        testDescription = name
        self.resource = resource
        isNamed = named
    }

    /// Faults that show before the file is complete, whatever vouches for it.
    static let plain: [MirrorFault] = [
        MirrorFault("404") { _ in .status(404) },
        MirrorFault("403") { _ in .status(403) },
        MirrorFault("418") { _ in .status(418) },
        MirrorFault("500") { _ in .status(500) },
        MirrorFault("no HTTP") { _ in .garbage(Array("SSH-2.0\r\n".utf8)) },
        MirrorFault("cut before the head") { _ in .emptyReply() },
        MirrorFault("silent", named: false) { _ in .silence() },
        MirrorFault("frozen after the head", named: false) { _ in .stall(after: 0) },
        MirrorFault("frozen after some bytes", named: false) { _ in .stall(after: 150_000) },
        MirrorFault("very slow", named: false) { _ in .throttle(20_000) },
        MirrorFault("a redirect to a file") { _ in .redirect(to: "file:///etc/passwd") },
        MirrorFault("a redirect loop") { _ in .redirect(to: "/g") },
        MirrorFault("no ranges", MirrorTrial.file.withoutRanges()),
        MirrorFault("compressed") { _ in .gzipped().header("Content-Type", "text/plain") },
        MirrorFault("another size", Resource.file(seed: 61, size: MirrorTrial.size + 1)),
        MirrorFault("much smaller", Resource.file(seed: 61, size: 1000)),
        MirrorFault("Content-Range of rubbish") { _ in .contentRange(.text("bytes rubbish")) },
    ]

    /// Faults of the content.
    static let lies: [MirrorFault] = [
        MirrorFault("other bytes", MirrorTrial.other),
        MirrorFault("other bytes under the same tag", MirrorTrial.other.etag("\"61-3000000\"")),
        MirrorFault("shifted") { _ in .contentShifted(by: 7) },
    ]
}

@Suite("Several sources of one file", .usesSockets)
struct MirrorTests {
    static let slowed = MirrorTrial.file.script(.throttle(800_000))

    @Test("a bad mirror is left out and named, and the file is right", arguments: MirrorFault.plain, [false, true])
    func badMirror(_ fault: MirrorFault, vouched: Bool) async throws {
        try await MirrorTrial.run(
            main: Self.slowed, mirror: fault.resource, voucher: vouched ? .checksum : .nothing,
            { $0.idleTimeout = .milliseconds(400) }
        ) { harness, result, _, mirror in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.names == ["f"])
            if fault.isNamed { #expect(harness.excluded == [mirror.url("/g")]) }
        }
    }

    @Test(
        "a main source without ranges and without a strong tag is asked for the whole file again, not a mirror that differs",
        arguments: [
            MirrorTrial.other, Resource.file(seed: 63, size: 1000), Resource.file(seed: 63, size: 0),
            MirrorTrial.other.withoutRanges(),
        ], [nil, "W/\"1\""] as [String?])
    func mainWithoutRanges(mirror: Resource, tag: String?) async throws {
        try await Self.expectMain(without: mirror, tag, .nothing)
    }

    @Test(
        "nor do they share the file again and again if a checksum is known",
        arguments: [Resource.file(seed: 63, size: 1000), Resource.file(seed: 63, size: 0)], ["\"1\"", nil] as [String?])
    func mainWithoutRangesAndChecksum(mirror: Resource, tag: String?) async throws {
        try await Self.expectMain(without: mirror, tag, .checksum)
    }

    private static func expectMain(
        without mirror: Resource, _ tag: String?, _ voucher: MirrorTrial.Voucher
    ) async throws {
        let main = MirrorTrial.file.etag(tag).withoutRanges()
            .script { $0.number == 1 ? .cut(after: 1_000_000) : .normal }
        try await MirrorTrial.run(
            main: main, mirror: mirror, voucher: voucher, { $0.tuning.retryWait = .milliseconds(10) }
        ) { harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
        }
    }

    @Test("a mirror that is not there is left out")
    func deadMirror() async throws {
        let gone = try await FaultServer.start([:])
        await gone.stop()
        try await MirrorTrial.run(
            main: Self.slowed, mirror: nil, { $0.mirrors = [.init(url: gone.url("/g"))] }
        ) { harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.excluded == [gone.url("/g")])
        }
    }

    @Test("a mirror that lies never makes a wrong file", arguments: MirrorFault.lies, MirrorTrial.Voucher.allCases)
    func lyingMirror(_ fault: MirrorFault, voucher: MirrorTrial.Voucher) async throws {
        try await MirrorTrial.run(main: Self.slowed, mirror: fault.resource, voucher: voucher) {
            harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.names == ["f"])
        }
    }

    @Test("a mirror of another file that begins alike is not let in while only the beginning is there")
    func alikeAtFirst() async throws {
        let bytes = MirrorTrial.file.allBytes
        let alike = Resource.bytes(Array(bytes[..<4096] + MirrorTrial.other.allBytes[4096...]))
        let main = MirrorTrial.file.script { $0.number == 1 ? .stall(after: 2000, for: .seconds(1)) : .normal }
        try await MirrorTrial.run(main: main, mirror: alike, connections: 2) { harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == bytes)
        }
    }

    @Test("where the main source fails, the mirror is asked, and the file is right", arguments: MirrorFault.plain)
    func badMain(_ fault: MirrorFault) async throws {
        try await MirrorTrial.run(
            main: fault.resource, mirror: MirrorTrial.file, voucher: .nothing,
            {
                $0.idleTimeout = .milliseconds(400)
                $0.expectedBytes = MirrorTrial.size
                // Redirect loops are of the main server's own path.
                $0.retries = 2
            }
        ) { harness, result, main, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.names == ["f"])
            #expect(harness.excluded.allSatisfy { $0 == main.url("/f") })
        }
    }

    @Test(
        "where the main source breaks off for good, the mirror goes on with what is there", arguments: [404, 403, 500])
    func mainEnds(status: Int) async throws {
        let main = MirrorTrial.file.script { $0.number == 1 ? .cut(after: 1_000_000) : .status(status) }
        try await MirrorTrial.run(main: main, mirror: MirrorTrial.file, connections: 1) { harness, result, _, mirror in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(try await mirror.settled().totalBodyBytes < 2_600_000)
        }
    }

    @Test("where all fail, the reason is the main source's, and nothing is left")
    func allFail() async throws {
        try await MirrorTrial.run(
            main: MirrorTrial.file.script(.status(410)), mirror: MirrorTrial.file.script(.status(403))
        ) { harness, result, _, _ in
            #expect(result.code == .notFound)
            #expect(harness.names == [])
        }
    }

    @Test("entity tags may differ between sources", arguments: ["\"other\"", "W/\"weak\"", nil] as [String?])
    func tags(etag: String?) async throws {
        let mirror = MirrorTrial.file.etag(etag).lastModified(etag == nil ? nil : "Thu, 02 Jan 2025 12:00:00 GMT")
        try await MirrorTrial.run(main: Self.slowed, mirror: mirror) { harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.excluded == [])
        }
    }

    @Test("a mirror that changes meanwhile is left out", arguments: MirrorTrial.Voucher.allCases)
    func changes(voucher: MirrorTrial.Voucher) async throws {
        let mirror = MirrorTrial.file.script { $0.number <= 2 ? .throttle(300_000) : .serving(MirrorTrial.other) }
        try await MirrorTrial.run(main: Self.slowed, mirror: mirror, connections: 6, voucher: voucher) {
            harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
        }
    }

    @Test("both are used at once, each with its share", arguments: [1, 2])
    func speedsAddUp(priority: Int) async throws {
        let resource = MirrorTrial.file.script(.throttle(1_000_000))
        try await MirrorTrial.run(
            main: resource, mirror: resource, connections: 2, { $0.mirrors[0].priority = priority }
        ) { harness, result, main, mirror in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(try await mirror.settled().totalBodyBytes > MirrorTrial.size / 4)
            #expect(try await main.settled().totalBodyBytes > MirrorTrial.size / 4)
        }
    }

    @Test("a wrong byte with a checksum: each source is tried alone, and the right one wins", arguments: [true, false])
    func flipped(isMain: Bool) async throws {
        let wrong = MirrorTrial.file.script { _ in .flipped(at: 2_900_000).throttle(1_500_000) }
        let right = Self.slowed
        try await MirrorTrial.run(
            main: isMain ? wrong : right, mirror: isMain ? right : wrong, voucher: .checksum
        ) { harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.names == ["f"])
        }
    }

    @Test("no source has the checksum: failed, named, and nothing is published")
    func noneRight() async throws {
        try await MirrorTrial.run(
            main: Self.slowed, mirror: Self.slowed, { $0.checksum = try? Digests.sha256([1]) }
        ) { harness, result, main, mirror in
            #expect(result.code == .checksumMismatch)
            guard case .failure(let error) = result else { return }
            #expect(error.description.contains(main.url("/f")) && error.description.contains(mirror.url("/g")))
            #expect(harness.names == [])
        }
    }

    @Test("headers and credentials of the caller do not reach a mirror of another origin")
    func secrets() async throws {
        try await MirrorTrial.run(
            main: Self.slowed, mirror: MirrorTrial.file,
            {
                $0.url = $0.url.replacing("http://", with: "http://me:hunter1@")
                $0.mirrors[0].url = $0.mirrors[0].url.replacing("http://", with: "http://you:hunter3@")
                $0.headers = [.init(name: "Cookie", value: "hunter2")]
                $0.authentication = .basic
            }
        ) { harness, result, main, mirror in
            _ = try result.get()
            let there = try await mirror.settled().requests.map(\.facts)
            #expect(!there.isEmpty)
            #expect(
                there.allSatisfy {
                    $0.header("Cookie") == nil && $0.header("Authorization") == "Basic eW91Omh1bnRlcjM="
                })
            let here = try await main.settled().requests.map(\.facts)
            #expect(
                here.allSatisfy {
                    $0.header("Cookie") == "hunter2" && $0.header("Authorization") == "Basic bWU6aHVudGVyMQ=="
                })
            #expect(!"\(harness.events)".contains("hunter"))
        }
    }

    @Test("what was kept is gone on with, from both")
    func resumes() async throws {
        try await FaultServer.run(["/f": MirrorTrial.file]) { first in
            try await FaultServer.run(["/g": MirrorTrial.file]) { second in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: 2)
                    try await harness.interrupt(spec, after: 1_000_000, first)
                    first.throttle(2_000_000)
                    spec.mirrors = [.init(url: second.url("/g"))]
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
                    #expect(harness.resumedBytes.last ?? 0 >= 1_000_000)
                }
            }
        }
    }

    @Test(
        "a main source that is busy or gone at a resume: no mirror continues the bytes of an older version",
        arguments: [1, 3, 1000])
    func newVersions(failures: Int) async throws {
        let old = MirrorTrial.file
        // Only one byte in the existing data differs, and one in the rest.
        var bytes = old.allBytes
        for offset in [100_001, 2_700_001] { bytes[offset] ^= 1 }
        let new = Resource.bytes(bytes).lastModified("Thu, 02 Jan 2025 12:00:00 GMT")
        try await FaultServer.run(["/f": old]) { first in
            try await FaultServer.run(["/g": old.etag("\"mirror-1\"")]) { second in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: 2)
                    spec.retries = 3
                    spec.tuning.retryWait = .milliseconds(50)
                    spec.mirrors = [.init(url: second.url("/g"))]
                    // Otherwise the mirror might complete the file before it is interrupted.
                    second.hold(after: 500_000)
                    try await harness.interrupt(spec, after: 1_000_000, first)
                    second.throttle(2_000_000)
                    let before = try await first.settled().requests("/f").count
                    first.set("/f", new.script { $0.number <= before + failures ? .status(503) : .normal })
                    second.set("/g", new.etag("\"mirror-2\""))
                    first.throttle(2_000_000)
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == bytes)
                }
            }
        }
    }

    /// The sources of two runs: the first one of each is the main source; all have a new version in the second run.
    enum Exchange: String, CaseIterable {
        /// A mirror described the file, and is now the main source.
        case mirrorAlone
        /// The main source is now a mirror.
        case swapped
        /// The same URL in another spelling.
        case spelling
        /// The same URL with another token.
        case token

        var paths: (first: [String], second: [String]) {
            switch self {
            case .mirrorAlone: (["/missing", "/f"], ["/f"])
            case .swapped: (["/f"], ["/g", "/f"])
            case .spelling: (["/f"], ["/%66"])
            case .token: (["/f?token=1"], ["/f?token=2"])
            }
        }
    }

    @Test(
        "bytes of an older version are not continued, whatever source is the main one now",
        arguments: Exchange.allCases,
        [1, 2])
    func exchanged(_ exchange: Exchange, connections: Int) async throws {
        let old = MirrorTrial.file
        var bytes = old.allBytes
        for offset in [500_001, 2_700_001] { bytes[offset] ^= 1 }
        // The date is the old one.
        let new = Resource.bytes(bytes)
        let paths = exchange.paths
        try await FaultServer.run([:]) { server in
            try await EngineHarness.run { harness in
                func spec(_ paths: [String]) -> DownloadSpec {
                    var spec = harness.spec(server.url(paths[0]), connections: connections)
                    spec.mirrors = paths.dropFirst().map { .init(url: server.url($0)) }
                    return spec
                }
                func serve(_ resource: Resource, _ paths: [String]) {
                    for path in paths where path != "/missing" {
                        server.set(String(path.prefix { $0 != "?" }), resource)
                    }
                }
                serve(old, paths.first)
                try await harness.interrupt(spec(paths.first), after: 1_000_000, server)
                serve(new, paths.first + paths.second)
                server.throttle(nil)
                _ = try await harness.run(spec(paths.second)).get()
                #expect(harness.bytes("f") == bytes)
            }
        }
    }

    @Test("a main source that changes leaves out the mirror that still has the old version")
    func outdatedMirror() async throws {
        var bytes = MirrorTrial.file.allBytes
        for offset in stride(from: 1, to: bytes.count, by: 400_000) { bytes[offset] ^= 1 }
        let new = Resource.bytes(bytes).lastModified("Thu, 02 Jan 2025 12:00:00 GMT")
        let main = MirrorTrial.file.script { facts in
            facts.number <= 2 ? .cut(after: 300_000).throttle(2_000_000) : .throttle(2_000_000).serving(new)
        }
        try await FaultServer.run(["/f": main]) { first in
            try await FaultServer.run(["/g": MirrorTrial.file.etag("\"mirror\"").script(.throttle(500_000))]) {
                second in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: 2)
                    spec.retries = 20
                    spec.mirrors = [.init(url: second.url("/g"))]
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == bytes || harness.bytes("f") == MirrorTrial.file.allBytes)
                }
            }
        }
    }

    @Test(
        "mirrors that the server names are used if a digest decides at the end, unless that is switched off",
        arguments: [true, false], [true, false])
    func linked(isOn: Bool, hasChecksum: Bool) async throws {
        try await FaultServer.run(["/g": MirrorTrial.file.etag("\"g\"")]) { second in
            let main = Self.slowed.header("Link", "<\(second.url("/g"))>; rel=duplicate; pri=1, </x>; rel=describedby")
            try await FaultServer.run(["/f": main]) { first in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: 4)
                    spec.usesLinkedMirrors = isOn
                    if hasChecksum { spec.checksum = try Digests.sha256(MirrorTrial.file.allBytes) }
                    _ = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
                    #expect(try await second.settled().requests.isEmpty == !(isOn && hasChecksum))
                }
            }
        }
    }

    /// A main server whose header has a digest, and a mirror with another file and no digest.
    private func differing(
        _ main: Resource, isLinked: Bool,
        _ body: (EngineHarness, Result<FinishFacts, DownloadError>) async throws -> Void
    ) async throws {
        let other = MirrorTrial.other.etag(nil).lastModified(nil)
        try await FaultServer.run(["/g": other]) { second in
            let link = "<\(second.url("/g"))>; rel=duplicate; pri=1"
            try await FaultServer.run(["/f": isLinked ? main.header("Link", link) : main]) { first in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: 4)
                    if !isLinked { spec.mirrors = [.init(url: second.url("/g"))] }
                    try await body(harness, await harness.run(spec))
                }
            }
        }
    }

    @Test("a mirror that the server names never says what the file is", arguments: [0, 1000, 40_000, 400_000])
    func linkedIsNeverPrimary(cut: Int64) async throws {
        let main = try MirrorTrial.file.reprDigest(.sha256).script { $0.number == 1 ? .cut(after: cut) : .normal }
        try await differing(main, isLinked: true) { harness, result in
            guard case .checksum = try result.get().verification else {
                Issue.record("not verified")
                return
            }
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
        }
    }

    @Test("a digest that the main source has named holds for a mirror, too", arguments: [true, false])
    func digestHolds(isLinked: Bool) async throws {
        let wrong = try MirrorTrial.file.reprDigest(.sha256, wrong: true)
        try await differing(wrong, isLinked: isLinked) { harness, result in
            #expect(result.code == .checksumMismatch)
            #expect(harness.bytes("f") == nil)
        }
        let dying = try MirrorTrial.file.reprDigest(.sha256).script {
            $0.number == 1 ? .cut(after: 1000) : .status(404)
        }
        try await differing(dying, isLinked: isLinked) { harness, result in
            #expect(result.code != nil)
            #expect(harness.bytes("f") == nil)
        }
    }
}
