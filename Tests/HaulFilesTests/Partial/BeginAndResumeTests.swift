import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Synchronization
import Testing

/// Starting over, going on, and the room on the disk.
@Suite struct BeginAndResumeTests {
    let folder: TemporaryFolder
    let session: Session

    init() throws {
        folder = try TemporaryFolder()
        session = Session(folder: folder)
    }

    @Test func roomIsSetAsideForALargeFileOnly() throws {
        let large = try session.open(.live)
        _ = try large.begin(total: 1 << 20, etag: nil, lastModified: nil)
        #expect(folder.bytes("file.bin.part")?.count == 1 << 20)
        #expect(folder.names.contains("file.bin.part.haul"))
        _ = try large.begin(total: PartialFile.smallFileBytes, etag: nil, lastModified: nil)
        #expect(folder.bytes("file.bin.part")?.count == 0)
        #expect(folder.bytes("file.bin.part.haul") == [])
        _ = try large.begin(total: nil, etag: nil, lastModified: nil)
        #expect(folder.bytes("file.bin.part")?.count == 0)
        #expect(folder.names.contains("file.bin.part.haul"))
    }

    @Test(arguments: [EOPNOTSUPP, ENOSYS]) func whereNoRoomCanBeSetAsideTheFileIsOnlyMadeLong(code: Int32) throws {
        let faults = SystemCallFaults(every: .fallocate, .fail(code))
        let partial = try session.open(faults.system())
        _ = try partial.begin(total: 1 << 20, etag: nil, lastModified: nil)
        #expect(folder.bytes("file.bin.part")?.count == 1 << 20)
    }

    @Test func whereNoRoomIsToBeSetAsideTheFileIsOnlyMadeLong() throws {
        let faults = SystemCallFaults(every: .fallocate, .fail(EIO))
        let partial = try session.open(faults.system())
        _ = try partial.begin(total: 1 << 20, etag: nil, lastModified: nil, allocates: false)
        #expect(folder.bytes("file.bin.part")?.count == 1 << 20)
    }

    @Test func tooLargeAFileIsRefusedBeforeItIsMade() throws {
        let partial = try session.open(.live)
        let error = #expect(throws: DownloadError.self) {
            try partial.begin(total: Int64.max, etag: nil, lastModified: nil)
        }
        #expect(error?.code == .noSpace)
        #expect(error?.message.contains("\(Int64.max)") == true)
        partial.close()
        #expect(folder.names.isEmpty)
    }

    @Test func positionsBeyondWhatWasFoundAreTakenBack() throws {
        let first = try session.open(.quick(bootID: "a"))
        let slots = try session.start(first)
        try session.fill(first, slots, checkpoints: false, limit: 2)
        first.close()
        let again = try session.open(.quick(bootID: "a"))
        let wished = [ResumedSegment(start: 0, position: 99_999), ResumedSegment(start: 150_000, position: 160_000)]
        let resumed = try again.resume(total: Session.total, etag: session.etag, lastModified: nil, segments: wished)
        #expect(resumed.map(\.written) == [32 * 1024, 150_000])
        again.close()
        // What was found was made durable when it was opened.
        guard case .resumable(let state) = try session.open(.quick(bootID: "b")).found else {
            throw DownloadError(.internal, "nothing found")
        }
        #expect(state.fileBytes == 32 * 1024)
    }

    @Test("the segments that are not resumed stay in the journal, if that is wanted", arguments: [false, true])
    func restIsKept(keepsRest: Bool) throws {
        let first = try session.open(.live)
        try session.fill(first, session.start(first), limit: 6)
        first.close()
        let again = try session.open(.live)
        guard case .resumable(let before) = again.found else { throw DownloadError(.internal, "nothing found") }
        let slots = try again.resume(
            total: Session.total, etag: session.etag, lastModified: nil, segments: [before.segments[0]],
            keepsRest: keepsRest)
        #expect(slots.map(\.start) == [0])
        // Beyond the start of the next segment.
        let reached = before.segments[1].start + 10
        try again.write(Array(Session.content(1)[Int(slots[0].written)..<Int(reached)]), at: slots[0].written)
        try again.record(slot: slots[0], written: reached)
        again.close()
        guard case .resumable(let state) = try session.open(.live).found else {
            throw DownloadError(.internal, "nothing found")
        }
        let rest = before.segments.dropFirst().reduce(0) { $0 + $1.position - $1.start }
        #expect(rest > 10 && state.fileBytes == (keepsRest ? before.segments[1].start + rest : reached))
        #expect(session.wrongBytes(state) == 0)
    }

    @Test func resumeWithoutFindingsIsADefect() throws {
        let partial = try session.open(.live)
        let error = #expect(throws: DownloadError.self) {
            try partial.resume(total: 1, etag: nil, lastModified: nil, segments: [])
        }
        #expect(error?.code == .internal)
    }

    /// A segment that was added is known from its first record on; before, its part counts for the one it was taken
    /// from.
    @Test func addedSegmentsSurvive() throws {
        let partial = try session.open(.quick(bootID: "a"))
        let first = try partial.begin(total: 1 << 20, etag: nil, lastModified: nil)
        try partial.record(slot: first[0], written: 1000)
        let added = partial.addSegment(start: 500_000)
        let silent = partial.addSegment(start: 800_000)
        try partial.record(slot: added, written: 500_100)
        try partial.record(slot: added, written: 500_050)
        #expect(added.written == 500_100)
        #expect(silent.written == 800_000)
        partial.close()
        guard case .resumable(let state) = try session.open(.quick(bootID: "a")).found else {
            throw DownloadError(.internal, "nothing found")
        }
        #expect(
            state.segments == [
                ResumedSegment(start: 0, position: 1000), ResumedSegment(start: 500_000, position: 500_100),
            ])
    }

    @Test func checkpointHasItsOrderAndDoesNothingTwice() throws {
        let calls = SystemCallFaults()
        let partial = try session.open(calls.system())
        let slots = try partial.begin(total: 1 << 20, etag: nil, lastModified: nil)
        try partial.record(slot: slots[0], written: 1000)
        let before = calls.calls.count
        try partial.checkpoint()
        try partial.checkpoint()
        let part = folder.path("file.bin.part")
        #expect(
            Array(calls.calls[before...]) == [
                .pwrite(path: part + ".haul", offset: 4088, count: 8), .fdatasync(path: part),
                .pwrite(path: part + ".haul", offset: 4088, count: 8), .fsyncFolder(path: folder.path),
                .pwrite(path: part + ".haul", offset: 4096, count: 64), .fdatasync(path: part + ".haul"),
            ])
    }

    /// A sync speaks only of what was written before it began.
    @Test func whatIsRecordedDuringASyncIsNotDurable() throws {
        let straggler = Mutex<SegmentSlot?>(nil)
        let during = SystemCallFaults { _, call in
            if call.kind == .fdatasync, call.path.hasSuffix(".part") {
                try? straggler.withLock { $0 }?.record(written: 2000)
            }
            return .proceed
        }
        let partial = try session.open(during.system(bootID: "a"))
        let slots = try partial.begin(total: 1 << 20, etag: nil, lastModified: nil)
        try partial.record(slot: slots[0], written: 1000)
        straggler.withLock { $0 = slots[0] }
        try partial.checkpoint()
        partial.close()
        guard case .resumable(let state) = try session.open(.quick(bootID: "b")).found else {
            throw DownloadError(.internal, "nothing found")
        }
        #expect(state.fileBytes == 1000)
    }

    @Test func writingOutBeginsEvery8MiB() throws {
        let calls = SystemCallFaults()
        let partial = try session.open(calls.system())
        let slots = try partial.begin(total: 1 << 30, etag: nil, lastModified: nil)
        for position in 1...80 { try partial.record(slot: slots[0], written: Int64(position) << 18) }
        let starts = calls.calls.filter { $0.kind == .syncFileRange }
        let path = folder.path("file.bin.part")
        #expect(
            starts == [
                .syncFileRange(path: path, offset: 0, count: 8 << 20),
                .syncFileRange(path: path, offset: 8 << 20, count: 8 << 20),
            ])
    }

    /// Many threads, each with a segment of its own, and checkpoints in between.
    @Test func segmentsAreRecordedFromManyThreads() throws {
        let partial = try session.open(.quick(bootID: "a"))
        let starts = (0..<8).map { Int64($0) << 20 }
        let slots = try partial.begin(total: 8 << 20, etag: nil, lastModified: nil, segments: starts)
        DispatchQueue.concurrentPerform(iterations: 9) { index in
            for step in 1...64 {
                if index == 8 {
                    try? partial.checkpoint()
                } else {
                    try? partial.record(slot: slots[index], written: starts[index] + Int64(step) << 14)
                }
            }
        }
        try partial.checkpoint()
        partial.close()
        guard case .resumable(let state) = try session.open(.quick(bootID: "b")).found else {
            throw DownloadError(.internal, "nothing found")
        }
        #expect(state.fileBytes == 8 << 20)
    }
}

/// A file whose size becomes known when some of it is there.
@Suite struct LateSizeTests {
    @Test("what this run has written is continued, and so it is by the next one", arguments: [true, false])
    func sizeBecomesKnown(resumes: Bool) throws {
        let folder = try TemporaryFolder()
        let session = Session(folder: folder, resumes: resumes)
        let content = Session.content(1)
        let partial = try session.open(.live)
        let slot = try #require(try partial.begin(total: nil, etag: session.etag, lastModified: nil).first)
        // Safe: the bytes are read within the call.
        try unsafe partial.write(content.span.bytes.extracting(0..<100_000), at: 0)
        try slot.record(written: 100_000)
        let wished = [ResumedSegment(start: 0, position: 100_000)]
        let slots = try partial.resume(total: Session.total, etag: session.etag, lastModified: nil, segments: wished)
        #expect(slots.map(\.written) == [100_000])
        let bytes = try #require(folder.bytes("file.bin.part"))
        #expect(bytes.count == Int(Session.total) && bytes.prefix(100_000) == content.prefix(100_000))
        // Safe: the bytes are read within the call.
        try unsafe partial.write(content.span.bytes.extracting(100_000..<150_000), at: 100_000)
        try slots[0].record(written: 150_000)
        partial.close()
        guard resumes else { return #expect(folder.bytes("file.bin.part.haul") == nil) }
        guard case .resumable(let state) = try session.open(.live).found else {
            return #expect(Bool(false), "it is not found")
        }
        #expect(state.totalBytes == Session.total && state.segments == [ResumedSegment(start: 0, position: 150_000)])
    }

    @Test("nothing can be continued before the partial was begun")
    func nothingThere() throws {
        let session = Session(folder: try TemporaryFolder())
        let error = #expect(throws: DownloadError.self) {
            _ = try session.open(.live).resume(total: 1, etag: nil, lastModified: nil, segments: [])
        }
        #expect(error?.code == .internal)
    }
}
