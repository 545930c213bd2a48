import HaulCore
import HaulFiles
import HaulTesting
import Testing

/// A process that is gone, or a machine that is, before any system call.
@Suite struct PowerCutTests {
    /// How the first session starts.
    enum Start: CaseIterable {
        case fresh
        /// Goes on with bytes of the same version.
        case resumed
        /// Starts over, because the bytes there are of another version.
        case changed
        /// Starts over after a garbled journal was set aside.
        case garbled
    }

    @Test(arguments: Start.allCases, 0..<3 as Range<UInt64>)
    func afterAPowerCutTheTrustedBytesAreRight(start: Start, seed: UInt64) throws {
        try atEachCall(start) { session, call in
            let cut = PowerCut(folder: session.folder.path, deathCall: call)
            _ = try? session.download(cut.system(bootID: "first"))
            let survived = cut.survived
            try cut.cut(seed: seed &* 1000 &+ UInt64(call))
            try expectGoodRestart(session, bootID: "second")
            return survived
        }
    }

    @Test(arguments: Start.allCases)
    func aKilledProcessLosesNothing(start: Start) throws {
        try atEachCall(start) { session, call in
            let recorder = SystemCallFaults { number, _ in number >= call ? .fail(5) : .proceed }
            _ = try? session.download(recorder.system(bootID: "first"))
            let happened = recorder.calls.prefix(call - 1)
            let recorded = happened.filter { $0.kind == .pwrite && $0.path.hasSuffix(".part.haul") }
            let partial = try session.open(SystemCalls.quick(bootID: "first"))
            if case .resumable(let state) = partial.found, state.etag == session.etag {
                #expect(session.wrongBytes(state) == 0)
                // Each record but those of a checkpoint speaks of one more piece; the last piece of a segment is
                // shorter.
                let pieces = happened.filter { $0.kind == .pwrite && $0.path.hasSuffix(".part") }.count
                #expect(state.fileBytes >= Int64(min(pieces - 1, recorded.count) - 4) * 32 * 1024)
            }
            partial.close()
            try expectGoodRestart(session, bootID: "first")
            return call > recorder.calls.count
        }
    }

    /// Before the cut, some state is made; then the body runs for each call at which the end may come, until it did not
    /// come.
    private func atEachCall(_ start: Start, _ body: (Session, Int) throws -> Bool) throws {
        var call = 0
        var survived = false
        while !survived {
            call += 1
            let folder = try TemporaryFolder()
            var session = Session(folder: folder)
            try folder.put([1, 2, 3], "file.bin")
            switch start {
            case .fresh: break
            case .resumed: try leave(session, turns: 7)
            case .changed:
                session.version = 2
                try leave(session, turns: 9)
                session.version = 1
            case .garbled:
                session.version = 2
                try leave(session, turns: 9)
                session.version = 1
                var bytes = try #require(folder.bytes("file.bin.part.haul"))
                let other = try #require("other".utf8.first)
                bytes[72] = other
                try folder.put(bytes, "file.bin.part.haul")
            }
            survived = try body(session, call)
        }
        #expect(call > 25)
    }

    private func leave(_ session: Session, turns: Int) throws {
        let partial = try session.open(SystemCalls.quick(bootID: "first"))
        try session.fill(partial, try session.start(partial), limit: turns)
        try partial.checkpoint()
        partial.close()
    }

    /// What is believed is right, what stands under the final name is old or right, and the download completes.
    private func expectGoodRestart(_ session: Session, bootID: String) throws {
        let system = SystemCalls.quick(bootID: bootID)
        let there = session.folder.bytes("file.bin")
        #expect(there == [1, 2, 3] || session.isFinished())
        let partial = try session.open(system)
        if case .resumable(let state) = partial.found {
            var writer = session
            writer.version = state.etag == session.etag ? 1 : 2
            #expect(writer.wrongBytes(state) == 0)
        }
        partial.close()
        _ = try session.download(system)
        #expect(session.isFinished())
    }
}
