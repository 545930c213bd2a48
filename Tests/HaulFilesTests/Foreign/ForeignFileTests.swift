import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulFiles

@Suite("A file of another program becomes a partial")
struct ForeignFileTests {
    static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    static let segments = [ResumedSegment(start: 0, position: 100_000), .init(start: 200_000, position: 300_000)]

    /// A folder with `f` and `f.aria2`.
    static func folder(name: String = "f") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.put(bytes, name)
        try folder.put([1, 2, 3], "f.aria2")
        return folder
    }

    static func adopt(_ folder: TemporaryFolder, name: String = "f", _ system: SystemCalls = .live) throws {
        try ForeignFile(folder.path(name), system: system).adopt(
            as: PartialNames(final: folder.path("f")), sourceID: "source", control: folder.path("f.aria2"),
            etag: "\"e\"", lastModified: nil, provenance: .oneSource, segments: segments)
    }

    static func found(_ folder: TemporaryFolder) throws -> PartialFile.Found {
        let partial = try PartialFile.open(finalPath: folder.path("f"), sourceID: "source", resumes: true)
        defer { partial.close() }
        return partial.found
    }

    /// Expects a partial that is described by its journal.
    static func isAdopted(_ folder: TemporaryFolder) throws {
        guard case .resumable(let state) = try found(folder) else {
            Issue.record("there is nothing to go on with: \(try found(folder))")
            return
        }
        #expect(state.segments.filter { $0.position > $0.start } == segments)
        #expect(state.etag == "\"e\"" && state.totalBytes == nil && !state.isOfOtherSource)
        #expect(folder.bytes("f.part") == bytes)
    }

    @Test(
        "the bytes under the partial's name, a journal, and no control file",
        arguments: ["f", "f.part", "f.crdownload"])
    func adopted(name: String) throws {
        let folder = try Self.folder(name: name)
        try Self.adopt(folder, name: name)
        #expect(folder.names == ["f.part", "f.part.haul"])
        try Self.isAdopted(folder)
    }

    @Test("killed before any system call: the file with its control file, or a partial with its journal")
    func killed() throws {
        for name in ["f", "f.part"] {
            var (call, survived) = (0, false)
            while !survived {
                call += 1
                let folder = try Self.folder(name: name)
                let faults = SystemCallFaults { [call] number, _ in number >= call ? .fail(5) : .proceed }
                _ = try? Self.adopt(folder, name: name, faults.system())
                survived = call > faults.calls.count
                if folder.bytes("f") == Self.bytes || name == "f.part" && folder.bytes("f.part.haul") == nil {
                    #expect(folder.bytes(name) == Self.bytes && folder.bytes("f.aria2") != nil, "call \(call)")
                    // It can be adopted as if nothing had been.
                    try Self.adopt(folder, name: name)
                    #expect(folder.names == ["f.part", "f.part.haul"])
                }
                try Self.isAdopted(folder)
            }
            #expect(call > 10)
        }
    }

    @Test("one call fails: an error, and the file is where it was, or adopted")
    func failing() throws {
        var (call, survived) = (0, false)
        while !survived {
            call += 1
            let folder = try Self.folder()
            let faults = SystemCallFaults { [call] number, _ in number == call ? .fail(5) : .proceed }
            let isDone = (try? Self.adopt(folder, faults.system())) != nil
            survived = call > faults.calls.count
            if folder.bytes("f") != nil {
                #expect(!isDone && folder.bytes("f") == Self.bytes, "call \(call)")
                // An open that fails may leave the empty file that it has made.
                #expect(folder.names.filter { $0 != "f.part" } == ["f", "f.aria2"], "call \(call)")
                #expect(folder.bytes("f.part") ?? [] == [], "call \(call)")
            } else {
                try Self.isAdopted(folder)
            }
        }
    }

    @Test("a file with a second name, a folder, a link, one that is being adopted, a place that is taken: left alone")
    func refused() throws {
        let linked = try Self.folder()
        try FileManager.default.linkItem(atPath: linked.path("f"), toPath: linked.path("g"))
        #expect(throws: ForeignFile.Fault.self) { try Self.adopt(linked) }
        #expect(linked.names == ["f", "f.aria2", "g"])

        let folder = try Self.folder()
        try FileManager.default.createSymbolicLink(atPath: folder.path("l"), withDestinationPath: folder.path("f"))
        for name in ["l", "."] {
            #expect(throws: ForeignFile.Fault.self) { try ForeignFile(folder.path(name)) }
        }
        let first = try ForeignFile(folder.path("f"))
        #expect(throws: ForeignFile.Fault.refused("another download of Haul is using it")) {
            try ForeignFile(folder.path("f"))
        }
        #expect(first.status.size == 300_000)

        let taken = try Self.folder()
        try taken.put([9], "f.part")
        #expect(throws: ForeignFile.Fault.self) { try Self.adopt(taken) }
        #expect(taken.names == ["f", "f.aria2", "f.part"] && taken.bytes("f.part") == [9])
    }

    @Test("a file that is changed after it was opened is left alone")
    func changed() throws {
        let folder = try Self.folder()
        let file = try ForeignFile(folder.path("f"))
        let handle = try #require(FileHandle(forWritingAtPath: folder.path("f")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1]))
        try handle.close()
        #expect(throws: ForeignFile.Fault.self) {
            try file.adopt(
                as: PartialNames(final: folder.path("f")), sourceID: "s", control: nil, etag: nil, lastModified: nil,
                provenance: .oneSource, segments: Self.segments)
        }
        #expect(folder.names == ["f", "f.aria2"])
    }

    @Test("a file that somebody has open for writing is left alone, where the system can tell")
    func written() throws {
        let folder = try Self.folder()
        let reader = try SystemCalls.live.open(folder.path("f"), .read)
        let canCompare = try SystemCalls.live.hasWriters(reader)
        #expect(canCompare != true)
        let handle = try #require(FileHandle(forWritingAtPath: folder.path("f")))
        #expect(try SystemCalls.live.hasWriters(reader) == canCompare.map { _ in true })
        if canCompare != nil { #expect(throws: ForeignFile.Fault.self) { try ForeignFile(folder.path("f")) } }
        try handle.close()
        #expect(throws: Never.self) { try ForeignFile(folder.path("f")) }
    }

    @Test("a part that was never written is found, where the file system can tell")
    func holes() throws {
        let folder = try TemporaryFolder()
        try folder.put([UInt8](repeating: 1, count: 1 << 20), "f")
        let handle = try #require(FileHandle(forWritingAtPath: folder.path("f")))
        try handle.truncate(atOffset: 4 << 20)
        try handle.close()
        let file = try ForeignFile(folder.path("f"))
        #expect(try file.firstHole(in: ByteRange(from: 0, to: 1 << 20)) == 1 << 20)
        let hole = try file.firstHole(in: ByteRange(from: 0, to: 4 << 20))
        #expect(hole == 1 << 20 || hole == 4 << 20)
    }

    @Test("a partial that grows gets its length before the journal that counts on it")
    func grows() throws {
        var (call, survived) = (0, false)
        while !survived {
            call += 1
            let folder = try Self.folder()
            try Self.adopt(folder)
            let faults = SystemCallFaults { [call] number, _ in number >= call ? .fail(5) : .proceed }
            if let partial = try? PartialFile.open(
                PartialNames(final: folder.path("f")), sourceID: "source", resumes: true, system: faults.system())
            {
                _ = try? partial.resume(total: 1_000_000, etag: "\"e\"", lastModified: nil, segments: Self.segments)
                partial.close()
            }
            survived = call > faults.calls.count
            guard case .resumable(let state) = try Self.found(folder) else {
                Issue.record("lost at call \(call): \(try Self.found(folder))")
                return
            }
            #expect(state.segments.filter { $0.position > $0.start } == Self.segments)
        }
    }
}
