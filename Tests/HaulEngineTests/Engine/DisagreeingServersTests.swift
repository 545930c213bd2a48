import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Several servers behind one name, misread If-Range", .usesSockets)
struct DisagreeingServersTests {
    static let size: Int64 = 6_000_000
    static let file = Resource.file(seed: 41, size: size)
    static let date = "Thu, 02 Jan 2025 12:00:00 GMT"

    static func expect(
        _ resource: Resource, _ right: [[UInt8]] = [file.allBytes], connections: Int,
        then check: (EngineHarness, FaultServer, FinishFacts) -> Void = { _, _, _ in }
    ) async throws {
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                let facts = try await harness.run(harness.spec(server.url("/f"), connections: connections)).get()
                let got = try #require(harness.bytes("f"))
                #expect(right.contains(got), "a mix, or a wrong file")
                check(harness, server, facts)
            }
        }
    }

    /// Each answer is cut after a while, so that there are many joins.
    static func cut(_ resource: Resource) -> Resource { resource.script { _ in .cut(after: 700_000) } }

    @Test("only their tags differ: nothing is fetched again", arguments: [1, 4], [nil, date] as [String?])
    func sameFile(connections: Int, date: String?) async throws {
        var other = Self.file.etag("\"other\"")
        if let date { other = other.lastModified(date) }
        let edges = Resource.edges([Self.cut(Self.file), Self.cut(other)]) { [0, 1, 1, 0, 0, 1, 0][$0.number % 7] }
        try await Self.expect(edges, connections: connections) { harness, _, facts in
            #expect(!harness.events.contains(.notice(.sourceChanged)))
            #expect(facts.sessionBytes == Self.size)
        }
    }

    @Test("their files differ in the middle only: no part of one is joined to the other", arguments: [1, 4])
    func middle(connections: Int) async throws {
        var bytes = Self.file.allBytes
        for offset in 3_000_000..<3_004_096 { bytes[offset] ^= 0xFF }
        let other = Resource.bytes(bytes).etag("\"other\"")
        let edges = Resource.edges([Self.cut(Self.file), Self.cut(other)]) { [0, 1, 1, 0, 0, 1, 0][$0.number % 7] }
        try await Self.expect(edges, [Self.file.allBytes, bytes], connections: connections)
    }

    @Test(
        "an equal weak tag and another date: another version, whoever ignores If-Range",
        arguments: [1, 4], [("W/\"a\"", "W/\"a\""), ("W/\"a\"", "\"a\""), ("\"a\"", "\"a\"")])
    func sameTagOtherDate(connections: Int, tags: (String, String)) async throws {
        let new = Resource.file(seed: 42, size: Self.size).etag(tags.1).lastModified("Fri, 03 Jan 2025 12:00:00 GMT")
        let old = Self.file.etag(tags.0).lastModified(Self.date)
        for pattern in [[0, 1, 1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1]] {
            let edges = Resource.edges([
                old.script { _ in .ignoringIfRange().cut(after: 700_000) },
                new.script { $0.number > 2 ? .ignoringIfRange() : .ignoringIfRange().cut(after: 700_000) },
            ]) { pattern[$0.number % 8] }
            try await Self.expect(edges, [Self.file.allBytes, new.allBytes], connections: connections)
        }
    }

    @Test(
        "a tag that stays the same while the file grows, and responses without a length: the new file, to its end",
        arguments: [1, 4], [true, false])
    func sameTagLonger(connections: Int, isChunked: Bool) async throws {
        var bytes = Self.file.allBytes + [1, 2, 3]
        for offset in 2_000_000..<2_004_096 { bytes[offset] ^= 0xFF }
        // The old bytes that were received are the same in the new file, so that no comparison notices anything.
        let new = Resource.bytes(bytes).etag("W/\"a\"").lastModified(nil)
        let resource = Self.file.etag("W/\"a\"").lastModified(nil).script { facts in
            guard facts.number > 1 else { return .ignoringRange().cut(after: 700_000) }
            let whole = ServerScript.serving(new).ignoringRange()
            return isChunked ? whole.chunked() : whole.withoutLength()
        }
        try await Self.expect(resource, [bytes], connections: connections)
    }

    @Test("their files differ: one of them, whole, or a clear failure", arguments: [1, 4])
    func otherFile(connections: Int) async throws {
        let other = Resource.file(seed: 42, size: Self.size)
        let edges = Resource.edges([Self.cut(Self.file), Self.cut(other)]) { $0.number / 3 }
        try await FaultServer.run(["/f": edges]) { server in
            try await EngineHarness.run { harness in
                switch await harness.run(harness.spec(server.url("/f"), connections: connections)) {
                case .success:
                    let got = try #require(harness.bytes("f"))
                    #expect([Self.file.allBytes, other.allBytes].contains(got))
                case .failure(let error): #expect(error.code == .sourceChanged && harness.bytes("f") == nil)
                }
            }
        }
    }

    @Test("a file that really changes, under the same size and date, is fetched again", arguments: [1, 4])
    func changes(connections: Int) async throws {
        let new = Resource.file(seed: 42, size: Self.size)
        let resource = Self.file.script { $0.number < 3 ? .cut(after: 700_000) : .serving(new) }
        try await Self.expect(resource, [new.allBytes], connections: connections) { harness, _, _ in
            #expect(harness.events.contains(.notice(.sourceChanged)))
        }
    }

    @Test("a URL that is redirected to another file with the same tag and date: one of them, whole", arguments: [1, 4])
    func redirectedElsewhere(connections: Int) async throws {
        func same(_ resource: Resource) -> Resource { resource.etag("\"1-5b8d80\"").lastModified(Self.date) }
        let (file, other) = (same(Self.file), same(Resource.file(seed: 42, size: Self.size)))
        for isLater in [false, true] {
            var resources = ["/a": isLater ? file : Self.cut(file), "/b": other]
            resources["/f"] = Self.file.script { .redirect(to: $0.number == 1 ? "/a" : "/b") }
            try await FaultServer.run(resources, throttle: isLater ? 4_000_000 : nil) { server in
                try await EngineHarness.run { harness in
                    let spec = harness.spec(server.url("/f"), connections: connections)
                    if isLater {
                        try await harness.interrupt(spec, after: 1_000_000, server)
                        server.throttle(nil)
                    }
                    switch await harness.run(spec) {
                    case .success:
                        let got = try #require(harness.bytes("f"))
                        #expect([Self.file.allBytes, other.allBytes].contains(got))
                    case .failure(let error): #expect(error.code == .sourceChanged && harness.bytes("f") == nil)
                    }
                    if isLater { #expect(server.log.requests("/b").contains { $0.facts.header("Range") != nil }) }
                }
            }
        }
    }

    @Test("a proxy that loses a part of a response and sends the rest too early is noticed", arguments: [1, 4])
    func lossyProxy(connections: Int) async throws {
        func same(_ resource: Resource) -> Resource { resource.etag("\"v1\"").lastModified(Self.date) }
        let bytes = Self.file.allBytes
        let rest = bytes[170_000...] + [UInt8](repeating: 0, count: 100_000)
        let lossy = same(Resource.bytes(Array(bytes[..<70_000] + rest)))
        let resource = same(Self.file).script { facts in
            let first = ServerScript.serving(lossy).bodyShorter(by: 100_000)
            // Slow, so that the other connections take over the rest of it.
            return facts.number > 1 ? .normal : connections == 1 ? first : first.throttle(3_000_000)
        }
        try await Self.expect(resource, connections: connections) { harness, _, _ in
            #expect(harness.events.contains(.notice(.sourceChanged)))
        }
    }

    @Test("200 to an If-Range that holds: asked without it, and the bytes stay", arguments: [1, 4])
    func refusesIfRange(connections: Int) async throws {
        let resource = Self.file.script { _ in .refusingIfRange().cut(after: 700_000) }
        try await Self.expect(resource, connections: connections) { harness, server, facts in
            #expect(!harness.events.contains(.notice(.rangesIgnored)))
            #expect(server.log.requests("/f").contains { $0.facts.header("If-Range") != nil })
            #expect(facts.sessionBytes == Self.size)
        }
    }

    @Test("the same when it goes on in a later run")
    func resumes() async throws {
        let resource = Self.file.script { _ in .refusingIfRange() }
        try await ResumeTests.resume(resource.etag("\"x\""), connections: 2) { harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(!harness.events.contains(.notice(.rangesIgnored)))
        }
    }

    @Test("If-Range ignored, and the part is of another version: never a mix", arguments: [1, 4])
    func ignoresIfRange(connections: Int) async throws {
        let new = Resource.file(seed: 42, size: Self.size).etag("\"new\"")
        let resource = Self.file.script {
            $0.number < 3 ? .cut(after: 700_000) : .serving(new).ignoringIfRange()
        }
        try await Self.expect(resource, [new.allBytes], connections: connections)
    }
}
