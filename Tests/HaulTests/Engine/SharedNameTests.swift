import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTesting
import Synchronization
import Testing

@Suite("Two sources whose files have one name", .usesSockets)
struct SharedNameTests {
    static let size: Int64 = 3_000_000
    static let first = Resource.file(seed: 71, size: size).etag("\"same\"")
    static let second = Resource.file(seed: 72, size: size).etag("\"same\"")

    /// Leaves a third of the first source's file, and runs `body`, in which nothing of it may be lost.
    static func half(_ body: (Trial, FaultServer) async throws -> Void) async throws {
        try await FaultServer.run(["/a/f": first, "/b/f": second], throttle: 6_000_000) { server in
            try await Trial.run { mine in
                try await mine.interrupt(mine.spec(server.url("/a/f")), after: size / 3, server)
                server.throttle(nil)
                let before = [mine.bytes("f.part"), mine.bytes("f.part.haul")]
                try await body(mine, server)
                #expect([mine.bytes("f.part"), mine.bytes("f.part.haul")] == before)
                let facts = try await mine.run(mine.spec(server.url("/a/f"))).get()
                #expect(facts.sessionBytes < size)
                #expect(mine.bytes("f") == first.allBytes)
            }
        }
    }

    /// The options of a run that leaves the partials of others alone.
    static func sparing(place: String? = nil, replacing url: String? = nil) -> RunOptions {
        var options = url.map { .replacing($0, place: place) } ?? RunOptions.at(place)
        options.isOthers = { _ in true }
        return options
    }

    @Test(
        "the other one's partial is left, and that is said",
        arguments: [ConflictPolicy.fail, .keep, .replace], [true, false])
    func spares(policy: ConflictPolicy, resumes: Bool) async throws {
        try await Self.half { mine, server in
            for url in [nil, server.url("/c/f")] {
                var spec = mine.spec(server.url("/b/f"))
                (spec.onConflict, spec.resumes) = (policy, resumes)
                let result = await mine.run(spec, Self.sparing(replacing: url))
                guard case .failure(let error) = result else {
                    Issue.record("it took the partial")
                    return
                }
                #expect(error.code == .destinationBusy)
                #expect(error.message.contains("f.part") && error.message.contains("another source"))
            }
            #expect(server.requests("/b/f").isEmpty)
            #expect(mine.names == ["f.part", "f.part.haul"])
        }
    }

    @Test("with rename the next name is taken, even where this one was settled on before", arguments: [true, false])
    func renames(hasPlace: Bool) async throws {
        try await Self.half { mine, server in
            var spec = mine.spec(server.url("/b/f"))
            spec.onConflict = .rename
            let facts = try await mine.run(spec, Self.sparing(place: hasPlace ? mine.path("f") : nil)).get()
            #expect(facts.path == mine.path("f (1)"))
            #expect(mine.bytes("f (1)") == Self.second.allBytes)
            #expect(mine.names == ["f (1)", "f.part", "f.part.haul"])
        }
    }

    @Test("the URL only suggests a name: where the server gives another one, there is no conflict")
    func namedByServer() async throws {
        try await Self.half { mine, server in
            server.set("/b/f", Self.second.contentDisposition("attachment; filename=g"))
            for policy in [ConflictPolicy.fail, .rename] {
                var spec = DownloadSpec(url: server.url("/b/f"), destination: .folder(path: mine.folder.path))
                spec.onConflict = policy
                let facts = try await mine.run(spec, Self.sparing()).get()
                #expect(facts.path == mine.path(policy == .fail ? "g" : "g (1)"))
            }
            server.set("/b/f", Self.second)
            let spec = DownloadSpec(url: server.url("/b/f"), destination: .folder(path: mine.folder.path))
            #expect(await mine.run(spec, Self.sparing()).code == .destinationBusy)
        }
    }

    @Test("a journal whose partial is gone keeps nobody away")
    func orphan() async throws {
        try await FaultServer.run(["/a/f": Self.first, "/b/f": Self.second], throttle: 6_000_000) { server in
            try await Trial.run { mine in
                try await mine.interrupt(mine.spec(server.url("/a/f")), after: Self.size / 3, server)
                server.throttle(nil)
                mine.remove("f.part")
                // Holds the number of the inode, so that the new partial does not get it.
                try mine.folder.put([1], "other")
                _ = try await mine.run(mine.spec(server.url("/b/f")), Self.sparing()).get()
                #expect(mine.bytes("f") == Self.second.allBytes)
            }
        }
    }

    @Test("only the own partial is discarded, wherever a run has settled", arguments: [true, false])
    func discards(hasPlace: Bool) async throws {
        try await Self.half { mine, server in
            let place = hasPlace ? mine.path("f") : nil
            let spec = mine.spec(server.url("/b/f"))
            for options in [.at(place), .replacing(server.url("/c/f"), place: place)] as [RunOptions] {
                try await mine.engine.discardPartial(of: spec, options)
                #expect(mine.names == ["f.part", "f.part.haul"])
            }
        }
    }

    @Test(
        "the own one goes, also where the source was replaced since, and also where a kill came before its place was recorded",
        arguments: [true, false], [true, false])
    func discardsOwn(isReplaced: Bool, hasPlace: Bool) async throws {
        try await FaultServer.run(["/a/f": Self.first, "/b/f": Self.second], throttle: 6_000_000) { server in
            try await Trial.run { mine in
                let spec = mine.spec(server.url("/a/f"))
                try await mine.interrupt(spec, after: Self.size / 3, server)
                let now = isReplaced ? mine.spec(server.url("/b/f")) : spec
                let options = RunOptions.replacing(spec.url, place: hasPlace ? mine.path("f") : nil)
                try await mine.engine.discardPartial(of: now, options)
                #expect(mine.names == [])
            }
        }
    }

    @Test("right before the final name is given, it is told where and which the file is", arguments: [1000, size])
    func naming(size: Int64) async throws {
        try await FaultServer.run(["/f": Resource.file(seed: 73, size: size)]) { server in
            try await Trial.run { mine in
                let reported = Mutex<[String]>([])
                var options = RunOptions()
                options.onNaming = { path, total, file in
                    let partial = try? SystemCalls.live.status(atPath: path + ".part")
                    let text = "\(path) \(total) \(partial?.file == file) \(mine.names.contains("f"))"
                    reported.withLock { $0.append(text) }
                }
                let facts = try await mine.run(mine.spec(server.url("/f")), options).get()
                #expect(reported.withLock { $0 } == ["\(mine.path("f")) \(size) true false"])
                let there = try RunOptionsTests.identity(mine, "f")
                #expect(facts.file == there)
                guard case .finished(let last)? = mine.events.last else {
                    Issue.record("not told")
                    return
                }
                #expect(last == facts)
            }
        }
    }
}
