import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTesting
import Testing

@Suite("The partial in a folder of its own", .usesSockets)
struct PartialFolderTests {
    static let size: Int64 = 3_000_000
    static func file(_ seed: UInt64) -> Resource { Resource.file(seed: seed, size: size) }

    static func make(_ mine: Trial, _ names: String...) throws {
        for name in names {
            try FileManager.default.createDirectory(atPath: mine.path(name), withIntermediateDirectories: false)
        }
    }

    static func names(_ mine: Trial, _ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: mine.path(folder)).sorted()
    }

    @Test("the bytes stand there until the end, and only the file in the destination", arguments: [1, 4])
    func resumes(connections: Int) async throws {
        let file = Self.file(71)
        try await FaultServer.run(["/f": file], throttle: Self.size) { server in
            try await Trial.run { mine in
                try Self.make(mine, "parts")
                var spec = mine.spec(server.url("/f"), connections: connections)
                spec.partialFolder = mine.path("parts")
                try await mine.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                #expect(mine.names == ["parts"])
                let kept = try Self.names(mine, "parts")
                #expect(kept.count == 2 && kept.allSatisfy { $0.hasPrefix("f~") })
                _ = try await mine.run(spec).get()
                #expect(mine.resumedBytes.last ?? 0 >= Self.size / 3)
                #expect(mine.bytes("f") == file.allBytes)
                let left = try Self.names(mine, "parts")
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
            try await Trial.run { mine in
                try Self.make(mine, "parts", "a", "b")
                await withTaskGroup(of: Void.self) { tasks in
                    for goal in goals {
                        tasks.addTask {
                            var spec = mine.spec(server.url("/\(goal)"), goal, connections: 2)
                            if isShared { spec.partialFolder = mine.path("parts") }
                            let result = await mine.run(spec)
                            #expect(result.code == nil)
                        }
                    }
                }
                for goal in goals {
                    let isRight = mine.bytes(goal) == resources["/\(goal)"]?.allBytes
                    #expect(isRight, "\(goal)")
                }
                let left = try Self.names(mine, "parts")
                #expect(left == [])
            }
        }
    }

    @Test("two ways to write a destination are one download")
    func sameSpelledOtherwise() async throws {
        let file = Self.file(72)
        try await FaultServer.run(["/f": file], throttle: Self.size) { server in
            try await Trial.run { mine in
                try Self.make(mine, "parts", "a")
                try FileManager.default.createSymbolicLink(atPath: mine.path("link"), withDestinationPath: "a")
                var spec = mine.spec(server.url("/f"), "a/f")
                spec.partialFolder = mine.path("parts")
                try await mine.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                spec.destination = .file(path: mine.path("a/../link/./f"))
                _ = try await mine.run(spec).get()
                #expect(mine.resumedBytes.last ?? 0 >= Self.size / 3)
                #expect(mine.bytes("a/f") == file.allBytes)
            }
        }
    }

    @Test("a folder that is missing, a file, or on another file system: said before anything is asked")
    func badFolders() async throws {
        try await FaultServer.run(["/f": Self.file(73)]) { server in
            try await Trial.run { mine in
                try mine.folder.put([1], "file")
                for folder in [mine.path("none"), mine.path("file"), "/proc"] {
                    for destination in [Destination.file(path: mine.path("f")), .folder(path: mine.folder.path)] {
                        var spec = mine.spec(server.url("/f"))
                        spec.destination = destination
                        spec.partialFolder = folder
                        #expect(await mine.run(spec).code == .fileFailed)
                    }
                }
                #expect(server.log.requests.isEmpty)
                #expect(mine.names == ["file"])
            }
        }
    }

    @Test("discarding finds it there; publication is found out, too")
    func discardAndPublished() async throws {
        let file = Self.file(74)
        try await FaultServer.run(["/f": file], throttle: Self.size) { server in
            try await Trial.run { mine in
                try Self.make(mine, "parts")
                var spec = mine.spec(server.url("/f"))
                spec.partialFolder = mine.path("parts")
                try await mine.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                try await mine.engine.discardPartial(of: spec, RunOptions())
                let left = try Self.names(mine, "parts")
                #expect(left == [])
                _ = try await mine.run(spec).get()
                let published = try #require(mine.partials.last)
                let asked = server.requests("/f").count
                _ = try await mine.run(spec, .at(mine.path("f"), published: published, bytes: Self.size)).get()
                #expect(server.requests("/f").count == asked)
                let rest = try Self.names(mine, "parts")
                #expect(rest == [])
            }
        }
    }

    @Test("both folders are synced when the file gets its name")
    func syncs() async throws {
        let faults = SystemCallFaults { _, _ in .proceed }
        try await FaultServer.run(["/f": Self.file(75)]) { server in
            try await Trial.run(system: faults.system()) { mine in
                try Self.make(mine, "parts")
                var spec = mine.spec(server.url("/f"))
                spec.partialFolder = mine.path("parts")
                _ = try await mine.run(spec).get()
                let calls = faults.calls
                let renamed = try #require(calls.lastIndex { $0.kind == .renameNoReplace })
                let synced = calls[renamed...].compactMap {
                    if case .fsyncFolder(let path) = $0 { path } else { nil }
                }
                #expect(synced == [mine.folder.path, mine.path("parts")])
            }
        }
    }
}
