import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Synchronization
import Testing

/// What becomes of a partial file that the user has moved or copied.
@Suite struct MovedPartialTests {
    private let folder: TemporaryFolder
    private let session: Session

    init() throws {
        folder = try TemporaryFolder()
        session = Session(folder: folder)
        let partial = try session.open(.live)
        try session.fill(partial, try session.start(partial), limit: 6)
        partial.close()
    }

    private var target: String { folder.path + "/new/file.bin" }

    /// Copies or moves the partial file and its journal to another folder, and tells where.
    private func transfer(_ body: (String, String) throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/new", withIntermediateDirectories: true)
        for ending in [".part", ".part.haul"] {
            try body(folder.path("file.bin") + ending, target + ending)
        }
    }

    private func found(_ path: String) throws -> PartialFile.Found {
        let partial = try PartialFile.open(finalPath: path, sourceID: "source", resumes: true)
        defer { partial.close() }
        return partial.found
    }

    @Test("a renamed one is ready, and resumed as before")
    func renamed() throws {
        let before = try found(folder.path("file.bin"))
        try transfer { try FileManager.default.moveItem(atPath: $0, toPath: $1) }
        #expect(try MovedPartial(finalPath: target).finding == .ready)
        #expect(try found(target) == before)
    }

    @Test("of a copy that was made after a kill during a sync, only what is durable is resumed")
    func copiedAfterInterruptedSync() throws {
        try session.markAsSyncing()
        try transfer { try FileManager.default.copyItem(atPath: $0, toPath: $1) }
        try MovedPartial(finalPath: target).adopt()
        guard case .resumable(let state) = try found(target) else { throw DownloadError(.internal, "nothing found") }
        #expect(state.fileBytes == 4 * 32 * 1024)
    }

    @Test("a copy is not taken for the file that its journal describes, until it is adopted: then all of it is resumed")
    func copied() throws {
        let before = try found(folder.path("file.bin"))
        guard case .resumable = before else {
            Issue.record("nothing to resume: \(before)")
            return
        }
        try transfer { try FileManager.default.copyItem(atPath: $0, toPath: $1) }
        let moved = try MovedPartial(finalPath: target)
        #expect(moved.finding == .copied)
        try moved.adopt()
        #expect(try MovedPartial(finalPath: target).finding == .ready)
        #expect(try found(target) == before)
        // The original is untouched.
        #expect(try found(folder.path("file.bin")) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new").count == 2)
    }

    @Test("a copy under the alternative name is found, too")
    func alternative() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/new", withIntermediateDirectories: true)
        for ending in [".part", ".part.haul"] {
            try FileManager.default.copyItem(
                atPath: folder.path("file.bin") + ending, toPath: folder.path + "/new/file.bin~2" + ending)
        }
        let moved = try MovedPartial(finalPath: target)
        #expect(moved.finding == .copied)
        try moved.adopt()
        #expect(try MovedPartial(finalPath: target).finding == .ready)
    }

    @Test("a copy that is too short, or whose journal is damaged, is broken; without a journal there is none")
    func broken() throws {
        try transfer { try FileManager.default.copyItem(atPath: $0, toPath: $1) }
        let file = try #require(FileHandle(forWritingAtPath: target + ".part"))
        let size = try file.seekToEnd()
        try file.truncate(atOffset: size - 1)
        #expect(try MovedPartial(finalPath: target).finding == .broken)
        try file.truncate(atOffset: size)
        try file.close()
        #expect(try MovedPartial(finalPath: target).finding == .copied)
        try Data("garbage".utf8).write(to: URL(filePath: target + ".part.haul"))
        #expect(try MovedPartial(finalPath: target).finding == .broken)
        try FileManager.default.removeItem(atPath: target + ".part.haul")
        #expect(try MovedPartial(finalPath: target).finding == .none)
        #expect(try MovedPartial(finalPath: folder.path + "/nothing").finding == .none)
    }

    @Test("one that another process uses is not adopted")
    func busy() throws {
        try transfer { try FileManager.default.copyItem(atPath: $0, toPath: $1) }
        let moved = try MovedPartial(finalPath: target)
        let holder = try PartialFile.open(finalPath: target, sourceID: "source", resumes: false)
        let error = #expect(throws: DownloadError.self) { try moved.adopt() }
        #expect(error?.code == .destinationBusy)
        withExtendedLifetime(holder) {}
    }

    @Test("if any system call fails, the copy can still be adopted")
    func faults() throws {
        try transfer { try FileManager.default.copyItem(atPath: $0, toPath: $1) }
        let before = try found(folder.path("file.bin"))
        var calls = 0
        while true {
            let countdown = Countdown(calls)
            // EIO.
            let system = SystemCalls { _ in countdown.next() ? .fail(5) : .proceed }
            calls += 1
            guard (try? MovedPartial(finalPath: target, system: system).adopt()) == nil else { break }
            #expect(try [.copied, .ready].contains(MovedPartial(finalPath: target).finding))
        }
        #expect(calls > 5)
        #expect(try found(target) == before)
    }
}

/// True at one of many times.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ number: Int) { left = Atomic(number) }

    func next() -> Bool { left.subtract(1, ordering: .relaxed).oldValue == 0 }
}
