import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Adding", .usesSockets)
struct AddingTests {
    static let file = Resource.file(seed: 61, size: 400_000)

    @Test("many: a result for each, bad ones among good ones, in order (U1)")
    func many() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file]) { harness in
            let results = try await harness.manager.add(contentsOf: [
                harness.spec("/a"),
                DownloadSpec(url: "gopher://nowhere/", destination: .file(path: harness.path("x"))),
                harness.spec("/b"),
                harness.spec("/a", "c") { $0.priority = 5000 },
                harness.spec("/a", "d") { $0.headers = [.init(name: "bad name", value: "x")] },
                harness.spec("/a", "e") { $0.headers = [.init(name: "X-A", value: "x\r\nX-B: y")] },
            ])
            let bad = DownloadError.Code.invalidRequest
            #expect(results.map(\.failureCode) == [nil, bad, nil, bad, bad, bad])
            for result in results {
                guard case .success(let download) = result else { continue }
                _ = try await download.finished()
            }
            #expect(try await harness.manager.count() == 2)
            #expect(harness.names == ["a", "b"])
        }
    }

    @Test("one that can't be right is refused aloud, and leaves nothing (T15)")
    func refused() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            let bad = DownloadSpec(url: "http://", destination: .file(path: harness.path("x")))
            #expect(await code { () throws(DownloadError) in _ = try await manager.add(bad) } == .invalidRequest)
            #expect(try await manager.count() == 0)
            #expect(manager.lastEventNumber == 0)
        }
    }

    @Test("the same while it runs is the same download, and every caller hears its end (U21, T10, T15)")
    func twice() async throws {
        try await ManagerTrial.run(["/a": Self.file.script { _ in .normal.throttle(2_000_000) }, "/b": Self.file]) {
            harness in
            let manager = try harness.manager
            let first = try await manager.add(harness.spec("/a"))
            try await first.until(bytes: 1)
            let again = try await harness.add([harness.spec("/a"), harness.spec("/b"), harness.spec("/a")])
            #expect([again[0], again[2]] == [first, first])
            #expect(again[1] != first)
            async let one = first.finished()
            async let two = again[2].finished()
            #expect(try await one == two)
            #expect(try await again[1].finished().path == harness.path("b"))
            #expect(try await manager.count() == 2)
            #expect(harness.server.requests("/a").count == 1)
        }
    }

    /// How a download came to rest before it is added again.
    enum Rest: CaseIterable {
        case paused, cancelled, cleared, failed
    }

    @Test("again after it came to rest: the same download goes on (U21)", arguments: Rest.allCases)
    func again(after rest: Rest) async throws {
        let breaks = Self.file.script { _ in .stall(after: 200_000) }
        try await ManagerTrial.run(["/a": breaks]) { harness in
            let manager = try harness.manager
            if rest == .failed { harness.server.set("/a", nil) }
            let download = try await manager.add(harness.spec("/a"))
            if rest == .failed {
                #expect(await download.failure() == .notFound)
            } else {
                try await download.until(bytes: 200_000)
                switch rest {
                case .paused: try await download.pause()
                case .cancelled: try await download.cancel()
                case .cleared: try await download.cancel(keepPartial: false)
                case .failed: break
                }
            }
            harness.server.set("/a", Self.file)
            #expect(try await manager.add(harness.spec("/a")) == download)
            let facts = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            let keeps = rest == .paused || rest == .cancelled
            #expect(facts.sessionBytes == (keeps ? 200_000 : 400_000))
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("again after it finished: nothing is fetched while the file is there, and all of it once it is gone (U21)")
    func finished() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            _ = try await download.finished()
            #expect(try await manager.add(harness.spec("/a")) == download)
            #expect(try await download.state.kind == .finished)
            #expect(harness.server.requests("/a").count == 1)
            try FileManager.default.removeItem(atPath: harness.path("a"))
            #expect(try await manager.add(harness.spec("/a")) == download)
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            #expect(harness.server.requests("/a").count == 2)
        }
    }

    @Test("a key of the caller's: what is added again keeps its own source and place (U21)", arguments: [true, false])
    func ownKey(hasSecrets: Bool) async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file]) { harness in
            let manager = try harness.manager
            let first = harness.spec("/a") { $0.key = "episode 1" }
            let download = try await manager.add(harness.spec("/a") { ($0.key, $0.startsPaused) = ("episode 1", true) })
            #expect(try await manager.download(key: "episode 1") == download)
            #expect(try await manager.download(key: "episode 2") == nil)
            let other = harness.spec("/b") { spec in
                spec.key = "episode 1"
                if hasSecrets { spec.headers = [.init(name: "Authorization", value: "Bearer x")] }
            }
            #expect(try await manager.add(other) == download)
            #expect(try await download.finished().path == harness.path("a"))
            #expect(try await download.snapshot.spec.url == first.url)
            #expect(harness.server.requests("/b").isEmpty)
            #expect(harness.names == ["a"])
        }
    }

    @Test("groups whose names differ only in their Unicode form are two")
    func formsOfGroups() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            let names = ["k\u{E9}", "ke\u{301}"]
            for (path, name) in zip(["/a", "/b"], names) {
                try await manager.add(harness.spec(path) { ($0.group, $0.startsPaused) = (name, true) })
            }
            for name in names { #expect(try await manager.count(.group(name)) == 1) }
            #expect(try await manager.remove(.group(names[0])) == 1)
            #expect(try await manager.count() == 1)
        }
    }

    @Test("a handle says whether its download is new; an empty key is refused")
    func isNew() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let spec = harness.spec("/a")
            #expect(try await manager.add(spec).isNew)
            #expect(try await !manager.add(spec).isNew)
            let nameless = await #expect(throws: DownloadError.self) {
                try await manager.add(harness.spec("/a") { $0.key = "" })
            }
            #expect(nameless?.code == .invalidRequest)
        }
    }

    @Test("values that no download can have are refused, and name their field")
    func invalidValues() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            for (name, change) in [
                ("retries", { (spec: inout DownloadSpec) in spec.retries = -1 }),
                ("connections", { $0.connections = .fixed(0) }), ("maxTime", { $0.maxTime = .zero }),
            ] {
                let error = await #expect(throws: DownloadError.self) {
                    try await manager.add(harness.spec("/a", nil, change))
                }
                #expect(error?.code == .invalidRequest && error?.message.contains(name) == true)
            }
            #expect(try await manager.count() == 0)
        }
    }

    @Test("a finished download that is added again with a checksum is verified against it")
    func checksumOfFinished() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let right = try Digests.sha256(Self.file.allBytes)
            func add(_ checksum: Checksum) async throws(DownloadError) -> Download {
                try await manager.add(harness.spec("/a") { $0.checksum = checksum })
            }
            let download = try await manager.add(harness.spec("/a"))
            _ = try await download.finished()
            #expect(try await add(right) == download)
            var bytes = Self.file.allBytes
            bytes[7] ^= 1
            let wrong = await #expect(throws: DownloadError.self) { try await add(try Digests.sha256(bytes)) }
            #expect(wrong?.code == .checksumMismatch && wrong?.earlierDownload?.isFinished == true)
            try Data(bytes).write(to: URL(filePath: harness.path("a")))
            #expect(await #expect(throws: DownloadError.self) { try await add(right) }?.code == .checksumMismatch)
            try FileManager.default.removeItem(atPath: harness.path("a"))
            let absent = await #expect(throws: DownloadError.self) { try await add(right) }
            #expect(absent?.earlierDownload?.isFinished == false)
            #expect(harness.names.isEmpty)
        }
    }

    @Test("each of several specs for one download is verified, also in one call")
    func checksumInOneCall() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let wrong = try Digests.sha256([1])
            func both(_ name: String) -> [DownloadSpec] {
                [harness.spec("/a", name), harness.spec("/a", name) { $0.checksum = wrong }]
            }
            // New in this call, and finished before it.
            for _ in 0..<2 {
                let results = try await manager.add(contentsOf: both("a"))
                let download = try results[0].get()
                #expect(throws: DownloadError.self) { try results[1].get() }
                _ = try await download.finished()
            }
        }
    }

    @Test("adding again does not replace the secrets of a download that has them")
    func secretsOfOthers() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            func spec(_ token: String) -> DownloadSpec {
                harness.spec("/a") {
                    $0.headers = [DownloadSpec.Header(name: "Authorization", value: token)]
                    $0.startsPaused = true
                }
            }
            let download = try await manager.add(spec("good"))
            #expect(try await manager.add(spec("evil")) == download)
            try await download.resume()
            _ = try await download.finished()
            #expect(harness.server.requests("/a").allSatisfy { $0.facts.header("Authorization") == "good" })
        }
    }

    @Test("an unfinished download is not joined with a checksum that it is not verified against")
    func checksumOfUnfinished() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let (right, wrong) = (try Digests.sha256(Self.file.allBytes), try Digests.sha256([1]))
            func spec(_ checksum: Checksum?, _ name: String) -> DownloadSpec {
                harness.spec("/a", name) { ($0.checksum, $0.startsPaused) = (checksum, true) }
            }
            for (name, own) in [("without", nil), ("another", wrong)] {
                let download = try await manager.add(spec(own, name))
                let error = await #expect(throws: DownloadError.self) { try await manager.add(spec(right, name)) }
                #expect(error?.code == .invalidRequest && error?.message.contains(name) == true)
                #expect(error?.earlierDownload?.id == download.id)
                #expect(try await download.state == .paused(.asked))
            }
            let download = try await manager.add(spec(right, "same"))
            #expect(try await manager.add(harness.spec("/a", "same") { $0.checksum = right }) == download)
            _ = try await download.finished()
            #expect(try await manager.add(spec(nil, "same")) == download)
        }
    }

    @Test("a download is not joined with a size or pieces that it is not compared with", arguments: [true, false])
    func sizeAndPieces(isFinished: Bool) async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let size = Self.file.size
            let pieces = try PieceHashes(
                length: size, algorithm: .sha256, hashes: [try Digests.sha256(Self.file.allBytes).hex])
            func again(_ name: String, _ bytes: Int64?, _ pieces: PieceHashes?) async -> DownloadError? {
                let spec = harness.spec("/a", name) {
                    ($0.expectedBytes, $0.pieces, $0.startsPaused) = (bytes, pieces, true)
                }
                do throws(DownloadError) {
                    _ = try await manager.add(spec)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(await again("with", size, pieces) == nil)
            #expect(await again("without", nil, nil) == nil)
            if isFinished { try await manager.resume(.all) }
            await manager.idle()
            for name in ["with", "without"] {
                let isCompared = name == "with"
                #expect(await again(name, nil, nil) == nil)
                let (sized, pieced) = (await again(name, size, nil), await again(name, nil, pieces))
                #expect((sized == nil) == (isCompared || isFinished))
                #expect((pieced == nil) == isCompared)
                let wrong = await again(name, 5, nil)
                #expect(wrong?.code == (isFinished ? .sourceChanged : .invalidRequest))
                #expect(wrong?.earlierDownload?.isFinished == isFinished)
            }
        }
    }

    @Test("404 is never finished, leaves no file, and is tried again when it is added again (T12, U17)")
    func notFound() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            #expect(await download.failure() == .notFound)
            guard case .failed(let error) = try await download.state else {
                Issue.record("not failed")
                return
            }
            #expect(error.code == .notFound)
            #expect(harness.names == [])
            harness.server.set("/a", Self.file)
            _ = try await manager.add(harness.spec("/a"))
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
        }
    }

    @Test("added while it is being removed or cleared: it is there afterwards, and finishes", arguments: [true, false])
    func whileLeaving(isRemoved: Bool) async throws {
        let stalls = Self.file.script { _ in .stall(after: 200_000) }
        let gate = HoldPoint()
        let hook: @Sendable (SystemCall) -> SystemCallVerdict = { call in
            if case .unlink(let path) = call, path.hasSuffix(".part") { gate.reach() }
            return .proceed
        }
        try await ManagerTrial.run(["/a": stalls], hook: hook) { harness in
            let manager = try harness.manager
            let old = try await manager.add(harness.spec("/a"))
            try await old.until(bytes: 200_000)
            harness.server.set("/a", Self.file)
            let leaving = Task {
                isRemoved ? try await old.remove(files: .all) : try await old.cancel(keepPartial: false)
            }
            await gate.reached()
            let adding = Task { try await manager.add(harness.spec("/a")) }
            // It may answer at once, or when the files are gone: either way it has had its turn by then.
            for _ in 0..<100 { _ = try await manager.count() }
            gate.open()
            try await leaving.value
            let facts = try await adding.value.finished()
            #expect(facts.sessionBytes == 400_000)
            #expect(harness.bytes("a") == Self.file.allBytes)
            #expect(try await manager.count() == 1)
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("added again as one that begins paused: it stays paused, and goes on otherwise")
    func againPaused() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let spec = harness.spec("/a", nil) { $0.startsPaused = true }
            let download = try await manager.add(spec)
            for _ in 0..<2 {
                #expect(try await manager.add(spec).id == download.id)
                #expect(try await download.state == .paused(.asked))
            }
            _ = try await manager.add(harness.spec("/a")).finished()
        }
    }

    @Test("added again as one that begins paused: one that was cancelled or has failed does not start")
    func endedAgainPaused() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let specs = ["/a", "/none"].map { path in harness.spec(path) { $0.startsPaused = true } }
            let all = try await harness.add(specs)
            try await all[0].cancel()
            try await all[1].resume()
            #expect(await all[1].failure() == .notFound)
            let last = manager.lastEventNumber
            #expect(try await harness.add(specs) == all)
            #expect(try await manager.snapshots().map(\.state.kind) == [.cancelled, .failed])
            #expect(manager.lastEventNumber == last)
            #expect(harness.server.requests("/a").isEmpty)
        }
    }
}

extension Result where Success == Download, Failure == DownloadError {
    /// The code that it failed with.
    var failureCode: DownloadError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
