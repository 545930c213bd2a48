import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Two sources whose files have one name", .usesSockets)
struct SharedNameTests {
    static let size: Int64 = 3_000_000
    static let first = Resource.file(seed: 71, size: size).etag("\"same\"")
    static let second = Resource.file(seed: 72, size: size).etag("\"same\"")

    /// Leaves a third of the first source's file, and runs `body`, in which nothing of it may be lost.
    static func half(_ body: (EngineHarness, FaultServer) async throws -> Void) async throws {
        try await FaultServer.run(["/a/f": first, "/b/f": second], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/a/f")), after: size / 3, server)
                server.throttle(nil)
                let before = [harness.bytes("f.part"), harness.bytes("f.part.haul")]
                try await body(harness, server)
                #expect([harness.bytes("f.part"), harness.bytes("f.part.haul")] == before)
                let facts = try await harness.run(harness.spec(server.url("/a/f"))).get()
                #expect(facts.sessionBytes < size)
                #expect(harness.bytes("f") == first.allBytes)
            }
        }
    }

    /// The options of a run that leaves the partials of others alone.
    static func sparing(targetPath: String? = nil, replacing url: String? = nil) -> RunOptions {
        var options = url.map { .replacing($0, targetPath: targetPath) } ?? RunOptions.at(targetPath)
        options.isOthers = { _ in true }
        return options
    }

    @Test(
        "the other one's partial is left, and that is said",
        arguments: [ConflictPolicy.fail, .keep, .replace], [true, false])
    func spares(policy: ConflictPolicy, resumes: Bool) async throws {
        try await Self.half { harness, server in
            for url in [nil, server.url("/c/f")] {
                var spec = harness.spec(server.url("/b/f"))
                (spec.onConflict, spec.resumes) = (policy, resumes)
                let result = await harness.run(spec, Self.sparing(replacing: url))
                guard case .failure(let error) = result else {
                    Issue.record("it took the partial")
                    return
                }
                #expect(error.code == .destinationBusy)
                #expect(error.message.contains("f.part") && error.message.contains("another source"))
            }
            #expect(server.requests("/b/f").isEmpty)
            #expect(harness.names == ["f.part", "f.part.haul"])
        }
    }

    @Test("with rename the next name is taken, even where this one was settled on before", arguments: [true, false])
    func renames(hasTargetPath: Bool) async throws {
        try await Self.half { harness, server in
            var spec = harness.spec(server.url("/b/f"))
            spec.onConflict = .rename
            let facts = try await harness.run(spec, Self.sparing(targetPath: hasTargetPath ? harness.path("f") : nil))
                .get()
            #expect(facts.path == harness.path("f (1)"))
            #expect(harness.bytes("f (1)") == Self.second.allBytes)
            #expect(harness.names == ["f (1)", "f.part", "f.part.haul"])
        }
    }

    @Test("the URL only suggests a name: where the server gives another one, there is no conflict")
    func namedByServer() async throws {
        try await Self.half { harness, server in
            server.set("/b/f", Self.second.contentDisposition("attachment; filename=g"))
            for policy in [ConflictPolicy.fail, .rename] {
                var spec = DownloadSpec(url: server.url("/b/f"), destination: .folder(path: harness.folder.path))
                spec.onConflict = policy
                let facts = try await harness.run(spec, Self.sparing()).get()
                #expect(facts.path == harness.path(policy == .fail ? "g" : "g (1)"))
            }
            server.set("/b/f", Self.second)
            let spec = DownloadSpec(url: server.url("/b/f"), destination: .folder(path: harness.folder.path))
            #expect(await harness.run(spec, Self.sparing()).code == .destinationBusy)
        }
    }

    @Test("a journal whose partial is gone keeps nobody away")
    func orphan() async throws {
        try await FaultServer.run(["/a/f": Self.first, "/b/f": Self.second], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/a/f")), after: Self.size / 3, server)
                server.throttle(nil)
                harness.remove("f.part")
                // Holds the number of the inode, so that the new partial does not get it.
                try harness.folder.put([1], "other")
                _ = try await harness.run(harness.spec(server.url("/b/f")), Self.sparing()).get()
                #expect(harness.bytes("f") == Self.second.allBytes)
            }
        }
    }

    @Test("only the own partial is discarded, wherever a run has settled", arguments: [true, false])
    func discards(hasTargetPath: Bool) async throws {
        try await Self.half { harness, server in
            let targetPath = hasTargetPath ? harness.path("f") : nil
            let spec = harness.spec(server.url("/b/f"))
            for options in [.at(targetPath), .replacing(server.url("/c/f"), targetPath: targetPath)] as [RunOptions] {
                try await harness.engine.discardPartial(of: spec, options)
                #expect(harness.names == ["f.part", "f.part.haul"])
            }
        }
    }

    @Test(
        "the own one goes, also where the source was replaced since, and also where a kill came before its place was recorded",
        arguments: [true, false], [true, false])
    func discardsOwn(isReplaced: Bool, hasTargetPath: Bool) async throws {
        try await FaultServer.run(["/a/f": Self.first, "/b/f": Self.second], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/a/f"))
                try await harness.interrupt(spec, after: Self.size / 3, server)
                let now = isReplaced ? harness.spec(server.url("/b/f")) : spec
                let options = RunOptions.replacing(spec.url, targetPath: hasTargetPath ? harness.path("f") : nil)
                try await harness.engine.discardPartial(of: now, options)
                #expect(harness.names == [])
            }
        }
    }

    @Test("right before the final name is given, it is told where and which the file is", arguments: [1000, size])
    func naming(size: Int64) async throws {
        try await FaultServer.run(["/f": Resource.file(seed: 73, size: size)]) { server in
            try await EngineHarness.run { harness in
                let reported = Mutex<[String]>([])
                var options = RunOptions()
                options.onNaming = { path, total, file in
                    let partial = try? SystemCalls.live.status(atPath: path + ".part")
                    let text = "\(path) \(total) \(partial?.file == file) \(harness.names.contains("f"))"
                    reported.withLock { $0.append(text) }
                }
                let facts = try await harness.run(harness.spec(server.url("/f")), options).get()
                #expect(reported.withLock { $0 } == ["\(harness.path("f")) \(size) true false"])
                let there = try RunOptionsTests.identity(harness, "f")
                #expect(facts.file == there)
                guard case .finished(let last)? = harness.events.last else {
                    Issue.record("not told")
                    return
                }
                #expect(last == facts)
            }
        }
    }
}
