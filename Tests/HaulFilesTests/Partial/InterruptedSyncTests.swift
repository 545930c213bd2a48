import Foundation
import HaulCore
import HaulFiles
import HaulTesting
import Synchronization
import Testing

#if os(Linux)
    import HaulLibC
#endif

/// A process that is killed during a sync, of whose failure nobody learns.
@Suite struct InterruptedSyncTests {
    let folder: TemporaryFolder
    let session: Session

    init() throws {
        folder = try TemporaryFolder()
        session = Session(folder: folder)
    }

    /// Leaves six pieces, the first three of which are durable, and the journal as it was during the second sync.
    private func killDuringSync(isMarked: Bool = true) throws {
        let seen = Mutex<[UInt8]>([])
        let system = SystemCallFaults { [folder] _, call in
            if call.kind == .fdatasync, call.path.hasSuffix(".part") {
                seen.withLock { $0 = folder.bytes("file.bin.part.haul") ?? [] }
            }
            return .proceed
        }
        let partial = try session.open(system.system())
        let slots = try session.start(partial)
        try session.fill(partial, slots, checkpoints: false, limit: 3)
        try partial.checkpoint()
        try session.fill(partial, slots, checkpoints: false, limit: 3)
        try partial.checkpoint()
        partial.close()
        #expect(try !Journal(decoding: folder.bytes("file.bin.part.haul") ?? []).header.isSyncing)
        var journal = try Journal(decoding: seen.withLock { $0 })
        #expect(journal.header.isSyncing)
        journal.header.isSyncing = isMarked
        try folder.put(journal.encoded(), "file.bin.part.haul")
    }

    private func found(_ system: SystemCalls) throws -> PartialState {
        let partial = try session.open(system)
        defer { partial.close() }
        guard case .resumable(let state) = partial.found else { throw DownloadError(.internal, "\(partial.found)") }
        #expect(try !Journal(decoding: folder.bytes("file.bin.part.haul") ?? []).header.isSyncing)
        return state
    }

    @Test func whatIsOnDiskIsKept() throws {
        try killDuringSync()
        let calls = SystemCallFaults()
        #expect(try found(calls.system()).fileBytes == 6 * 32 * 1024)
        let compared = calls.calls.filter { $0.kind == .compareWithDisk }
        #expect(
            compared
                == ([0, 1, 2] as [Int64]).map { segment in
                    let start = segment * (Session.total / 3)
                    return .compareWithDisk(
                        path: folder.path("file.bin.part"), offset: start + 32 * 1024, count: 32 * 1024)
                })
        // The result is in the journal: it is compared once, and counts after a power failure as well.
        #expect(try found(calls.system()).fileBytes == 6 * 32 * 1024)
        #expect(calls.calls.count { $0.kind == .compareWithDisk } == 3)
        #expect(try found(calls.system(bootID: "another")).fileBytes == 6 * 32 * 1024)
    }

    @Test func afterARestartOnlyWhatIsDurableCounts() throws {
        try killDuringSync()
        let partial = try session.open(.quick(bootID: "another"))
        guard case .resumable(let state) = partial.found else { throw DownloadError(.internal, "\(partial.found)") }
        #expect(state.fileBytes == 3 * 32 * 1024)
    }

    #if os(Linux)
        /// The disk has refused the blocks, and the kernel has forgotten the pages: they read as zeros.
        private func lose(_ range: Range<Int64>) throws {
            let file = try real.open(folder.path("file.bin.part"), .create)
            let size = try real.status(file).size
            try real.sync(file)
            // The last block as a whole.
            let end = range.upperBound == size ? size + 4096 : range.upperBound
            #expect(try real.punch(file, at: range.lowerBound, count: end - range.lowerBound))
            try real.allocate(file, size: size)
        }

        /// The kernel needs the memory of the pages.
        private func evict() throws {
            let file = try real.open(folder.path("file.bin.part"), .create)
            try real.sync(file)
            real.forgetCached(file)
        }

        /// True if the file system can read past the page cache.
        private func hasDirectReads() throws -> Bool {
            try folder.put([1], "probe")
            let descriptor = unsafe open(folder.path("probe"), O_RDONLY | 0o40000)
            if descriptor >= 0 { close(descriptor) }
            return descriptor >= 0
        }

        private let real = SystemCalls(hook: { $0.kind == .fsyncFolder ? .pretend : .proceed })

        /// Also without the mark: another program that synced the file may have got the error.
        @Test(arguments: [false, true]) func pagesThatAreNotCachedAreFetchedAgain(isMarked: Bool) throws {
            guard try hasDirectReads() else { return }
            try killDuringSync(isMarked: isMarked)
            // Whole pages of what is not durable.
            for segment in 0..<3 as Range<Int64> {
                let start = (segment * (Session.total / 3) + 32 * 1024 + 4095) / 4096 * 4096
                try lose(start..<start + 28 * 1024)
            }
            let state = try found(real)
            #expect(
                state.fileBytes >= 3 * 32 * 1024 && state.fileBytes <= 3 * 36 * 1024 && session.wrongBytes(state) == 0)
            #expect(try session.download(.quick()) == folder.path("file.bin") && session.isFinished())
        }

        @Test(
            "a file system without holes: nothing is lost unless the disk has refused bytes, and then what follows",
            arguments: [false, true])
        func withoutHoles(isRefused: Bool) throws {
            guard try hasDirectReads() else { return }
            try killDuringSync()
            if isRefused { try lose(32 * 1024..<64 * 1024) }
            let partial = try session.open(
                SystemCalls(hook: {
                    $0.kind == .punch ? .fail(EOPNOTSUPP) : $0.kind == .fsyncFolder ? .pretend : .proceed
                }))
            guard case .resumable(let state) = partial.found else { throw DownloadError(.internal, "\(partial.found)") }
            #expect(state.fileBytes == (isRefused ? 1 : 6) * 32 * 1024 && session.wrongBytes(state) == 0)
            partial.close()
            #expect(try session.download(.quick()) == folder.path("file.bin") && session.isFinished())
        }

        @Test func pagesThatHaveLeftTheCacheAreKeptIfTheyWereWritten() throws {
            guard try hasDirectReads() else { return }
            try killDuringSync()
            try evict()
            let state = try found(real)
            // Not every file system knows which blocks were written.
            #expect([3, 6].map { $0 * 32 * 1024 }.contains(state.fileBytes) && session.wrongBytes(state) == 0)
        }

        @Test func pagesThatAreCachedAndOnDiskAreKept() throws {
            guard try hasDirectReads() else { return }
            try killDuringSync()
            try lose(32 * 1024..<64 * 1024)
            let state = try found(real)
            let first = try #require(state.segments.first)
            #expect(first.position == 32 * 1024)
            #expect(state.fileBytes == 5 * 32 * 1024 && session.wrongBytes(state) == 0)
            #expect(try session.download(.quick()) == folder.path("file.bin") && session.isFinished())
        }

        @Test("a file that can't be compared: bytes count unless a sync was running", arguments: [false, true])
        func unknown(isMarked: Bool) throws {
            try killDuringSync(isMarked: isMarked)
            let (path, moved) = (folder.path("file.bin.part"), folder.path("moved"))
            let system = SystemCalls(hook: { call in
                // The comparison finds no file of this name.
                if call.kind == .compareWithDisk { try? FileManager.default.moveItem(atPath: path, toPath: moved) }
                return .proceed
            })
            let partial = try session.open(system)
            guard case .resumable(let state) = partial.found else { throw DownloadError(.internal, "\(partial.found)") }
            #expect(state.fileBytes == (isMarked ? 3 : 6) * 32 * 1024)
        }

        @Test("zeros count only where they were written", arguments: [false, true])
        func zeros(isWritten: Bool) throws {
            guard try hasDirectReads() else { return }
            let file = try real.open(folder.path("file.bin.part"), .create)
            let size = 64 * 1024
            try real.allocate(file, size: Int64(size))
            if isWritten {
                // Safe: a UInt8 has no padding.
                try real.write(file, unsafe [UInt8](repeating: 0, count: size).span.bytes, at: 0)
            }
            try real.sync(file)
            // Another program reads them into the cache.
            #expect(folder.bytes("file.bin.part")?.count == size)
            let parts = try real.partsOnDisk(file, in: ByteRange(0, Int64(size)))
            // Not every file system knows which blocks were written.
            #expect(parts == [] || isWritten && parts == [ByteRange(0, Int64(size))])
        }

        @Test(
            "parts that are not in the cache are left out, and short ones between them",
            arguments: [[], [0], [1], [3, 4], [1, 3], [5]])
        func parts(missing: [Int64]) throws {
            guard try hasDirectReads() else { return }
            let mebibyte = Int64(1 << 20)
            let size = 5 * mebibyte + 4096 + 77
            let file = try real.open(folder.path("file.bin.part"), .create)
            let holes = missing.map { $0 * mebibyte..<min(size, ($0 + 1) * mebibyte) }
            let ranges = [
                0..<size, 5000..<9000, 0..<1, size - 1..<size, 3 * mebibyte - 1..<size, mebibyte..<2 * mebibyte,
                mebibyte + mebibyte / 2..<size, size..<size,
            ]
            for range in ranges {
                // What was compared has left the cache.
                for start in stride(from: 0, to: size, by: 1 << 20) {
                    let bytes = [UInt8](repeating: UInt8(start >> 20) + 1, count: Int(min(mebibyte, size - start)))
                    // Safe: a UInt8 has no padding.
                    try real.write(file, unsafe bytes.span.bytes, at: start)
                }
                try real.sync(file)
                for hole in holes { try lose(hole) }
                var expected: [Range<Int64>] = []
                var position = range.lowerBound
                for hole in holes + [size..<size] where hole.upperBound > position || hole.isEmpty {
                    let part = position..<max(position, min(hole.lowerBound, range.upperBound))
                    if !part.isEmpty,
                        position == range.lowerBound || part.count >= mebibyte || part.upperBound == range.upperBound
                    {
                        expected.append(part)
                    }
                    position = max(position, hole.upperBound)
                }
                #expect(
                    try real.partsOnDisk(file, in: ByteRange(range.lowerBound, range.upperBound))
                        == expected.map { ByteRange($0.lowerBound, $0.upperBound) }, "\(range)")
            }
        }
    #endif
}
