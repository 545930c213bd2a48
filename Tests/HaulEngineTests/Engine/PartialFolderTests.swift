import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("The partial in a folder of its own", .usesSockets)
struct PartialFolderTests {
    static let size: Int64 = 3_000_000
    static func file(_ seed: UInt64) -> Resource { Resource.file(seed: seed, size: size) }

    static func make(_ harness: EngineHarness, _ names: String...) throws {
        for name in names {
            try FileManager.default.createDirectory(atPath: harness.path(name), withIntermediateDirectories: false)
        }
    }

    static func names(_ harness: EngineHarness, _ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: harness.path(folder)).sorted()
    }

    @Test("the bytes stand there until the end, and only the file in the destination", arguments: [1, 4])
    func resumes(connections: Int) async throws {
        let file = Self.file(71)
        try await FaultServer.run(["/f": file], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                try Self.make(harness, "parts")
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.partialFolder = harness.path("parts")
                try await harness.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                #expect(harness.names == ["parts"])
                let kept = try Self.names(harness, "parts")
                #expect(kept.count == 2 && kept.allSatisfy { $0.hasPrefix("f~") })
                _ = try await harness.run(spec).get()
                #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
                #expect(harness.bytes("f") == file.allBytes)
                let left = try Self.names(harness, "parts")
                #expect(left == [])
            }
        }
    }

    @Test(
        "names that are alike do not share anything, beside the file or in one folder (T17)", arguments: [true, false])
    func alike(isShared: Bool) async throws {
        let goals = ["a.b.zip", "a.c.zip", "movie.mp4", "movie.mp3", "a/x.bin", "b/x.bin"]
        var resources: [String: Resource] = [:]
        for (index, goal) in goals.enumerated() { resources["/\(goal)"] = Self.file(UInt64(80 + index)) }
        try await FaultServer.run(resources, throttle: 12_000_000) { server in
            try await EngineHarness.run { harness in
                try Self.make(harness, "parts", "a", "b")
                await withTaskGroup(of: Void.self) { tasks in
                    for goal in goals {
                        tasks.addTask {
                            var spec = harness.spec(server.url("/\(goal)"), goal, connections: 2)
                            if isShared { spec.partialFolder = harness.path("parts") }
                            let result = await harness.run(spec)
                            #expect(result.code == nil)
                        }
                    }
                }
                for goal in goals {
                    let isRight = harness.bytes(goal) == resources["/\(goal)"]?.allBytes
                    #expect(isRight, "\(goal)")
                }
                let left = try Self.names(harness, "parts")
                #expect(left == [])
            }
        }
    }

    @Test("two ways to write a destination are one download")
    func sameSpelledOtherwise() async throws {
        let file = Self.file(72)
        try await FaultServer.run(["/f": file], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                try Self.make(harness, "parts", "a")
                try FileManager.default.createSymbolicLink(atPath: harness.path("link"), withDestinationPath: "a")
                var spec = harness.spec(server.url("/f"), "a/f")
                spec.partialFolder = harness.path("parts")
                try await harness.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                spec.destination = .file(path: harness.path("a/../link/./f"))
                _ = try await harness.run(spec).get()
                #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
                #expect(harness.bytes("a/f") == file.allBytes)
            }
        }
    }

    @Test("a folder that is missing, a file, or on another file system: said before anything is asked")
    func badFolders() async throws {
        try await FaultServer.run(["/f": Self.file(73)]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put([1], "file")
                for folder in [harness.path("none"), harness.path("file"), "/proc"] {
                    for destination in [Destination.file(path: harness.path("f")), .folder(path: harness.folder.path)] {
                        var spec = harness.spec(server.url("/f"))
                        spec.destination = destination
                        spec.partialFolder = folder
                        #expect(await harness.run(spec).code == .fileFailed)
                    }
                }
                #expect(server.log.requests.isEmpty)
                #expect(harness.names == ["file"])
            }
        }
    }

    @Test("discarding finds it there; publication is found out, too")
    func discardAndPublished() async throws {
        let file = Self.file(74)
        try await FaultServer.run(["/f": file], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                try Self.make(harness, "parts")
                var spec = harness.spec(server.url("/f"))
                spec.partialFolder = harness.path("parts")
                try await harness.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                try await harness.engine.discardPartial(of: spec, RunOptions())
                let left = try Self.names(harness, "parts")
                #expect(left == [])
                _ = try await harness.run(spec).get()
                let published = try #require(harness.partials.last)
                let asked = server.requests("/f").count
                _ = try await harness.run(spec, .at(harness.path("f"), published: published, bytes: Self.size)).get()
                #expect(server.requests("/f").count == asked)
                let rest = try Self.names(harness, "parts")
                #expect(rest == [])
            }
        }
    }

    @Test("both folders are synced when the file gets its name")
    func syncs() async throws {
        let faults = SystemCallFaults { _, _ in .proceed }
        try await FaultServer.run(["/f": Self.file(75)]) { server in
            try await EngineHarness.run(system: faults.system()) { harness in
                try Self.make(harness, "parts")
                var spec = harness.spec(server.url("/f"))
                spec.partialFolder = harness.path("parts")
                _ = try await harness.run(spec).get()
                let calls = faults.calls
                let renamed = try #require(calls.lastIndex { $0.kind == .renameNoReplace })
                let synced = calls[renamed...].compactMap {
                    if case .fsyncFolder(let path) = $0 { path } else { nil }
                }
                #expect(synced == [harness.folder.path, harness.path("parts")])
            }
        }
    }
}
