import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Testing

/// Each system call of a whole download fails once, in each way that systems know.
@Suite struct FaultLoopTests {
    static let faults: [SystemCallVerdict] = [
        .fail(ENOSPC), .fail(EIO), .fail(EDQUOT), .fail(EMFILE), .fail(EINTR), .fail(EACCES), .short(1), .short(100),
    ]

    @Test(arguments: faults, [false, true])
    func nothingWrongIsEverPublished(fault: SystemCallVerdict, startsHalfWay: Bool) throws {
        let old = Array("what stood there before".utf8)
        var number = 0
        var fired = 0
        repeat {
            number += 1
            let folder = try TemporaryFolder()
            try folder.put(old, "file.bin")
            let session = Session(folder: folder)
            if startsHalfWay { try leaveHalf(session) }
            let faults = SystemCallFaults(number: number, fault)
            let outcome = Result { try session.download(faults.system()) }
            fired = faults.fired
            let now = folder.bytes("file.bin")
            switch outcome {
            case .success:
                #expect(session.isFinished())
                #expect(folder.names == ["file.bin"] || leavesLitter(faults.calls[number - 1]))
            case .failure(let error):
                expectNamed(error, fault)
                // Only the sync of the folder comes after the name, and then the content is right.
                #expect(now == old || (faults.calls[number - 1].kind == .fsyncFolder && session.isFinished()))
            }
            #expect(try session.download(.quick()) == folder.path("file.bin"))
            #expect(session.isFinished())
        } while fired > 0
        #expect(number > 30)
    }

    private func leaveHalf(_ session: Session) throws {
        let partial = try session.open(.quick())
        try session.fill(partial, try session.start(partial), limit: 6)
        partial.close()
    }

    /// A journal that can't be removed after the publication stays, and the download has succeeded all the same.
    private func leavesLitter(_ call: SystemCall) -> Bool {
        [.unlink, .status].contains(call.kind)
    }

    private func expectNamed(_ error: any Error, _ fault: SystemCallVerdict) {
        guard case .fail(let code) = fault else {
            Issue.record("a short transfer was told: \(error)")
            return
        }
        let reported = (error as? FileError)?.downloadError ?? (error as? DownloadError)
        #expect(code != EINTR)
        let codes: [Int32: DownloadError.Code] = [ENOSPC: .noSpace, EDQUOT: .noSpace, EMFILE: .tooManyFiles]
        #expect(reported?.code == codes[code] ?? .fileFailed)
        // Safe: the constant text is copied at once.
        let words = unsafe String(cString: strerror(code))
        #expect(reported?.cause == words)
    }

    /// A failed sync is not tried again, and what it should have made safe is fetched again.
    @Test func bytesOfAFailedSyncAreNotTrustedAgain() throws {
        let folder = try TemporaryFolder()
        let session = Session(folder: folder)
        let isBroken = SystemCallFaults { _, call in
            // The second checkpoint's sync.
            call.kind == .fdatasync && call.path.hasSuffix(".part") && folder.bytes("broken") != nil
                ? .fail(EIO) : .proceed
        }
        let partial = try session.open(isBroken.system(bootID: "same"))
        let slots = try session.start(partial)
        try session.fill(partial, slots, checkpoints: false, limit: 3)
        try partial.checkpoint()
        try session.fill(partial, slots, checkpoints: false, limit: 2)
        try folder.put([], "broken")
        #expect(throws: FileError.self) { try partial.checkpoint() }
        // A straggler's record and a new segment don't bring the trust back.
        try partial.record(slot: slots[0], written: Session.total / 3)
        try partial.record(slot: partial.addSegment(start: Session.total - 10), written: Session.total)
        try FileManager.default.removeItem(atPath: folder.path("broken"))
        #expect(throws: FileError.self) { try partial.checkpoint() }
        #expect(throws: DownloadError.self) {
            try partial.publish(policy: .fail, modified: nil, total: Session.total) { _ in "" }
        }
        partial.close()
        let again = try session.open(SystemCalls.quick(bootID: "same"))
        guard case .resumable(let state) = again.found else {
            Issue.record("\(again.found)")
            return
        }
        #expect(state.fileBytes == 3 * 32 * 1024)
        #if os(Linux)
            // The blocks that may not be on disk are given back.
            let bytes = try #require(folder.bytes("file.bin.part"))
            let durable = state.segments.map { Int($0.start)..<Int($0.position) }
            #expect(bytes.indices.allSatisfy { index in bytes[index] == 0 || durable.contains { $0.contains(index) } })
            #expect(session.wrongBytes(state) == 0)
        #endif
    }

    @Test(
        "what is outside the durable segments is given back, up to whole blocks at the end",
        arguments: [
            ([], 100, [0..<100]), ([(0, 100)], 100, []), ([(0, 40)], 100, [40..<100]),
            ([(40, 60), (0, 20), (60, 60)], 100, [20..<40, 60..<100]), ([(0, 200)], 100, []), ([], 0, []),
            ([(0, 50), (30, 40)], 60, [50..<60]),
        ] as [([(Int64, Int64)], Int64, [Range<Int64>])])
    func gaps(durable: [(Int64, Int64)], size: Int64, gaps: [Range<Int64>]) {
        let segments = durable.map { ResumedSegment(start: $0.0, position: $0.1) }
        let expected = gaps.map { $0.upperBound == size ? $0.lowerBound..<size + 1 << 20 : $0 }
        #expect(PartialFile.gaps(between: segments, in: size) == expected)
    }

    /// If even the correction fails, the journal is emptied: everything is fetched again, nothing is wrong.
    @Test func journalThatCanNotBeCorrectedIsEmptied() throws {
        let folder = try TemporaryFolder()
        let session = Session(folder: folder)
        let isBroken = SystemCallFaults { number, call in
            guard folder.bytes("broken") != nil else { return .proceed }
            if case .pwrite(_, let offset, _) = call, offset >= 4096 { return .fail(EIO) }
            return call.kind == .fdatasync ? .fail(EIO) : .proceed
        }
        let partial = try session.open(isBroken.system())
        try session.fill(partial, try session.start(partial), checkpoints: false, limit: 3)
        try folder.put([], "broken")
        #expect(throws: FileError.self) { try partial.checkpoint() }
        partial.close()
        #expect(folder.bytes("file.bin.part.haul") == [])
        let again = try session.open(.quick())
        #expect(again.found == .nothing && !again.isForeign)
    }

    /// Each system call of a resume fails once, then the partial is closed: all that was there can still be resumed.
    @Test(arguments: [ENOSPC, EIO, EDQUOT, EMFILE, EACCES], [false, true])
    func aResumeThatFailsLosesNothing(code: Int32, wasKilledInSync: Bool) throws {
        var number = 0
        var fired = 0
        repeat {
            number += 1
            let folder = try TemporaryFolder()
            let session = Session(folder: folder)
            try leaveHalf(session)
            guard case .resumable(let before) = try session.open(.quick()).found else {
                Issue.record("nothing was left to resume")
                return
            }
            if wasKilledInSync { try session.markAsSyncing() }
            let faults = SystemCallFaults(number: number, .fail(code))
            if let partial = try? session.open(faults.system()) {
                _ = try? session.start(partial)
                partial.close()
            }
            fired = faults.fired
            guard case .resumable(let after) = try session.open(.quick()).found else {
                Issue.record("call \(number), \(faults.calls.last.map { "\($0)" } ?? "none"): the partial is lost")
                return
            }
            #expect(after.segments == before.segments && session.wrongBytes(after) == 0)
            #expect(folder.names == ["file.bin.part", "file.bin.part.haul"], "call \(number)")
        } while fired > 0
        #expect(number > 8)
    }

    /// The same where the size is not known, and the disk is full.
    @Test func aBeginningOfUnknownSizeOnAFullDiskLosesNothing() throws {
        let folder = try TemporaryFolder()
        let session = Session(folder: folder)
        try leaveHalf(session)
        let faults = SystemCallFaults(every: .space, .fail(ENOSPC))
        let partial = try session.open(faults.system())
        let refusal = #expect(throws: DownloadError.self) {
            try partial.begin(total: nil, etag: nil, lastModified: nil, canContinue: false)
        }
        #expect(refusal?.code == .noSpace)
        partial.close()
        guard case .resumable(let after) = try session.open(.quick()).found else {
            Issue.record("the partial is lost")
            return
        }
        #expect(session.wrongBytes(after) == 0 && after.fileBytes > 0)
    }

    /// A file of another version for which there is no room: what is there of the old one stays.
    @Test func aBeginningWithoutRoomLosesNothing() throws {
        let folder = try TemporaryFolder()
        let session = Session(folder: folder)
        try leaveHalf(session)
        let partial = try session.open(.quick())
        let refusal = #expect(throws: DownloadError.self) {
            try partial.begin(total: 1 << 60, etag: nil, lastModified: nil)
        }
        #expect(refusal?.code == .noSpace)
        partial.close()
        guard case .resumable(let after) = try session.open(.quick()).found else {
            Issue.record("the partial is lost")
            return
        }
        #expect(session.wrongBytes(after) == 0 && after.fileBytes > 0)
    }
}
