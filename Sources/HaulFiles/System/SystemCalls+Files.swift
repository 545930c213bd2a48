import CHaulSystem
package import HaulCore
import HaulLibC
import Synchronization

/// Calls on open files.
extension SystemCalls {
    /// Returns the status of a file.
    package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
        try file.use(for: .status) { descriptor throws(FileError) in
            var found = haul_status()
            // Safe: the C function fills exactly this struct.
            _ = try perform(.status(path: file.path)) { unsafe Int(haul_status_of_file(descriptor, &found)) }
            return appears(FileStatus(found), "/proc/self/fd/\(descriptor)")
        }
    }

    /// Returns the first byte in a part of the file that was never written, or the end of the part if there is no such
    /// byte or the system can't tell.
    package func firstHole(_ file: OpenFile, in part: ByteRange) throws(FileError) -> Int64 {
        try file.use(for: .status) { descriptor throws(FileError) in
            Int64(
                try perform(.status(path: file.path)) {
                    Int(haul_first_hole(descriptor, part.lowerBound, part.upperBound))
                })
        }
    }

    /// Returns true if any process has the file open for writing; nil if the system can't tell.
    ///
    /// - Parameter file: A file that was opened for reading.
    package func hasWriters(_ file: OpenFile) throws(FileError) -> Bool? {
        try file.use(for: .status) { descriptor throws(FileError) in
            // A system that can't tell is not an error.
            let response = try perform(.status(path: file.path)) { Int(haul_has_writers(descriptor)) + 1 }
            return response == 0 ? nil : response == 2
        }
    }

    /// Returns the free space of the file system.
    package func space(_ file: OpenFile) throws(FileError) -> FileSpace {
        try file.use(for: .space) { descriptor throws(FileError) in
            var found = haul_space()
            // Safe: the C function fills exactly this struct.
            _ = try perform(.space(path: file.path)) { unsafe Int(haul_space_of_file(descriptor, &found)) }
            return FileSpace(available: Int64(clamping: found.available), inMemory: found.in_memory != 0)
        }
    }

    /// Takes an exclusive lock without waiting: flock(2).
    ///
    /// It is released when the file is closed.
    ///
    /// - Returns: False if another open file has the lock.
    package func lock(_ file: OpenFile) throws(FileError) -> Bool {
        do {
            try file.use(for: .lock) { descriptor throws(FileError) in
                _ = try perform(.lock(path: file.path)) { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }
                file.isLocked.store(true, ordering: .releasing)
            }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    /// Releases a lock: flock(2) with LOCK_UN.
    ///
    /// Closing is not enough. A process that is being started has a copy of each descriptor until it executes another
    /// program (execve(2)), and would hold the lock until then.
    static func rawUnlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Writes all bytes at an offset: pwrite(2), continued after a short write.
    package func write(_ file: OpenFile, _ bytes: RawSpan, at offset: Int64) throws(FileError) {
        try file.use(for: .pwrite) { descriptor throws(FileError) in
            var done = 0
            let count = bytes.byteCount
            while done < count {
                let position = offset + Int64(done)
                let left = count - done
                let written = try move(.pwrite(path: file.path, offset: position, count: left), left) { allowed in
                    // Safe: no more is read than the span has after `done`.
                    unsafe bytes.withUnsafeBytes { buffer in
                        guard let start = buffer.baseAddress else { return 0 }
                        return unsafe pwrite(descriptor, start + done, allowed, off_t(position))
                    }
                }
                // A kernel that writes nothing and reports no error would be called for ever.
                guard written > 0 else { throw FileError(.pwrite, file.path, EIO) }
                done += written
            }
        }
    }

    /// Reads from an offset until the buffer is full or the file ends: pread(2), continued after a short read.
    ///
    /// - Returns: The number of bytes read, less than the size of the buffer only at the end of the file.
    package func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) -> Int {
        try file.use(for: .pread) { descriptor throws(FileError) in
            var done = 0
            let count = buffer.count
            while done < count {
                let position = offset + Int64(done)
                let left = count - done
                let got = try move(.pread(path: file.path, offset: position, count: left), left) { allowed in
                    // Safe: no more is written than the buffer holds after `done`.
                    guard let start = buffer.baseAddress else { return 0 }
                    return unsafe pread(descriptor, start + done, allowed, off_t(position))
                }
                if got == 0 { break }
                done += got
            }
            return done
        }
    }

    /// Returns true if the first `count` bytes of two files are equal.
    func haveSameBytes(_ first: OpenFile, _ second: OpenFile, count: Int64) throws(FileError) -> Bool {
        let size = 1 << 20
        var (here, there) = ([UInt8](repeating: 0, count: size), [UInt8](repeating: 0, count: size))
        func fill(_ buffer: inout [UInt8], _ file: OpenFile, _ offset: Int64) throws(FileError) -> ArraySlice<UInt8> {
            var span = buffer.mutableSpan
            // Safe: the buffer belongs to the array for the duration of the call.
            let length = try unsafe span.withUnsafeMutableBytes { bytes throws(FileError) in
                unsafe try read(file, into: bytes, at: offset)
            }
            return buffer[..<min(length, Int(clamping: count - offset))]
        }
        for offset in stride(from: 0, to: count, by: size) {
            let part = try fill(&here, first, offset)
            guard !part.isEmpty, try part == fill(&there, second, offset) else { return false }
        }
        return true
    }

    /// Reserves space for the first `size` bytes and makes the file that long: fallocate(2).
    package func allocate(_ file: OpenFile, size: Int64) throws(FileError) {
        _ = try file.use(for: .fallocate) { descriptor throws(FileError) in
            try perform(.fallocate(path: file.path, size: size)) { Int(haul_allocate(descriptor, size)) }
        }
    }

    /// Sets the length of the file: ftruncate(2).
    package func truncate(_ file: OpenFile, size: Int64) throws(FileError) {
        _ = try file.use(for: .ftruncate) { descriptor throws(FileError) in
            try perform(.ftruncate(path: file.path, size: size)) { Int(ftruncate(descriptor, off_t(size))) }
        }
    }

    /// Gives the blocks of a range back, whatever state they are in: fallocate(2), FALLOC_FL_PUNCH_HOLE.
    ///
    /// - Returns: False if the file system can't.
    package func punch(_ file: OpenFile, at offset: Int64, count: Int64) throws(FileError) -> Bool {
        do throws(FileError) {
            _ = try file.use(for: .punch) { descriptor throws(FileError) in
                try perform(.punch(path: file.path, offset: offset, count: count)) {
                    Int(haul_punch(descriptor, offset, count))
                }
            }
            return true
        } catch {
            guard [EOPNOTSUPP, ENOTSUP, ENOSYS].contains(error.code) else { throw error }
            return false
        }
    }

    /// Returns the parts of a range that are proven to be on disk, in order, although a sync of them may have failed; nil if the system
    /// can't tell.
    ///
    /// The page cache still has their bytes, the disk has the same, and zeros are in blocks that were written (mincore(2), open(2) with
    /// O_DIRECT, FS_IOC_FIEMAP). After the first ones, further parts are left out.
    package func partsOnDisk(_ file: OpenFile, in range: ByteRange) throws(FileError) -> [ByteRange]? {
        try file.use(for: .compareWithDisk) { descriptor throws(FileError) in
            var runs = [haul_run](repeating: haul_run(), count: 64)
            let call = SystemCall.compareWithDisk(path: file.path, offset: range.lowerBound, count: range.count)
            let limit = Int32(runs.count)
            let found = try perform(call) {
                // Safe: the C function reads the path up to its NUL, writes at most `limit` runs, and keeps no pointer.
                unsafe 2
                    + Int(haul_runs_on_disk(descriptor, file.path, range.lowerBound, range.upperBound, &runs, limit))
            }
            switch found {
            // Nothing was called: the sync was only simulated, too.
            case 0: return [range]
            case 1: return nil
            default: return runs.prefix(found - 2).map { ByteRange(from: $0.start, to: $0.end) }
            }
        }
    }

    /// Makes later reads come from the disk; bytes that are not written yet stay in the page cache.
    package func forgetCached(_ file: OpenFile) {
        try? file.use(for: .compareWithDisk) { descriptor throws(FileError) in haul_forget_cached(descriptor) }
    }

    /// Asks the kernel to start writing a range to disk, without waiting.
    ///
    /// It guarantees nothing, so errors are ignored.
    package func startWriting(_ file: OpenFile, at offset: Int64, count: Int64) {
        _ = try? file.use(for: .syncFileRange) { descriptor throws(FileError) in
            try perform(.syncFileRange(path: file.path, offset: offset, count: count)) {
                Int(haul_start_writing(descriptor, offset, count))
            }
        }
    }

    /// Waits until the content is on disk: fdatasync(2).
    ///
    /// Never repeat it after a failure: the kernel may have dropped the pages that it could not write, and report
    /// success the next time.
    package func syncData(_ file: OpenFile) throws(FileError) {
        _ = try file.use(for: .fdatasync) { descriptor throws(FileError) in
            try perform(.fdatasync(path: file.path)) { Int(haul_sync_data(descriptor)) }
        }
    }

    /// Syncs like `syncData`, including the dates: fsync(2).
    package func sync(_ file: OpenFile) throws(FileError) {
        _ = try file.use(for: .fsync) { descriptor throws(FileError) in
            try perform(.fsync(path: file.path)) { Int(haul_sync_file(descriptor)) }
        }
    }

    /// Sets the modification time, in seconds since 1970: futimens(3).
    package func setModified(_ file: OpenFile, seconds: Int64) throws(FileError) {
        _ = try file.use(for: .setModified) { descriptor throws(FileError) in
            try perform(.setModified(path: file.path, seconds: seconds)) { Int(haul_set_modified(descriptor, seconds)) }
        }
    }
}
