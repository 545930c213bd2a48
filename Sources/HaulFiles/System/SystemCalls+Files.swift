import CHaulSystem
package import HaulCore
import HaulLibC
import Synchronization

/// Calls on open files.
extension SystemCalls {
    /// What the file is.
    package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
        try file.use(for: .status) { descriptor throws(FileError) in
            var found = haul_status()
            // Safe: the C function fills exactly this struct.
            _ = try perform(.status(path: file.path)) { unsafe Int(haul_status_of_file(descriptor, &found)) }
            return FileStatus(found)
        }
    }

    /// The first byte in a part of the file that was never written; the end of the part if there is no such byte, or the system can't tell.
    package func firstHole(_ file: OpenFile, in part: ByteRange) throws(FileError) -> Int64 {
        try file.use(for: .status) { descriptor throws(FileError) in
            Int64(
                try perform(.status(path: file.path)) {
                    Int(haul_first_hole(descriptor, part.lowerBound, part.upperBound))
                })
        }
    }

    /// Whether another process, or this one, has the file open for writing; nil where the system can't tell.
    ///
    /// - Parameter file: A file that was opened for reading.
    package func hasWriters(_ file: OpenFile) throws(FileError) -> Bool? {
        try file.use(for: .status) { descriptor throws(FileError) in
            // A system that can't tell is no failure.
            let response = try perform(.status(path: file.path)) { Int(haul_has_writers(descriptor)) + 1 }
            return response == 0 ? nil : response == 2
        }
    }

    /// How much room is left on its file system.
    package func space(_ file: OpenFile) throws(FileError) -> FileSpace {
        try file.use(for: .space) { descriptor throws(FileError) in
            var found = haul_space()
            // Safe: the C function fills exactly this struct.
            _ = try perform(.space(path: file.path)) { unsafe Int(haul_space_of_file(descriptor, &found)) }
            return FileSpace(available: Int64(clamping: found.available), inMemory: found.in_memory != 0)
        }
    }

    /// Takes the lock that only one open file can have, without waiting: flock(2).
    ///
    /// It goes when the file is closed.
    ///
    /// - Returns: false where another has it.
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

    /// Gives a lock back: flock(2) with LOCK_UN.
    ///
    /// To close is not enough. A process that is being started has a copy of each descriptor until it becomes another program (execve(2)), and
    /// for so long the lock would be taken.
    static func rawUnlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Writes all bytes at an offset: pwrite(2), continued where it was short.
    package func write(_ file: OpenFile, _ bytes: RawSpan, at offset: Int64) throws(FileError) {
        try file.use(for: .pwrite) { descriptor throws(FileError) in
            var done = 0
            let count = bytes.byteCount
            while done < count {
                let position = offset + Int64(done)
                let left = count - done
                let written = try move(.pwrite(path: file.path, offset: position, count: left), left) { allowed in
                    // Safe: at most what the span holds behind `done` is read.
                    unsafe bytes.withUnsafeBytes { buffer in
                        guard let start = buffer.baseAddress else { return 0 }
                        return unsafe pwrite(descriptor, start + done, allowed, off_t(position))
                    }
                }
                // A kernel that takes nothing and names no reason would be asked for ever.
                guard written > 0 else { throw FileError(.pwrite, file.path, EIO) }
                done += written
            }
        }
    }

    /// Reads from an offset until the buffer is full or the file ends: pread(2), continued where it was short.
    ///
    /// - Returns: how many bytes were read; fewer than the buffer holds only at the end of the file.
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
                    // Safe: at most what the buffer holds behind `done` is written.
                    guard let start = buffer.baseAddress else { return 0 }
                    return unsafe pread(descriptor, start + done, allowed, off_t(position))
                }
                if got == 0 { break }
                done += got
            }
            return done
        }
    }

    /// Sets room aside for the first `size` bytes and makes the file that long: fallocate(2).
    package func allocate(_ file: OpenFile, size: Int64) throws(FileError) {
        _ = try file.use(for: .fallocate) { descriptor throws(FileError) in
            try perform(.fallocate(path: file.path, size: size)) { Int(haul_allocate(descriptor, size)) }
        }
    }

    /// Makes the file exactly this long: ftruncate(2).
    package func truncate(_ file: OpenFile, size: Int64) throws(FileError) {
        _ = try file.use(for: .ftruncate) { descriptor throws(FileError) in
            try perform(.ftruncate(path: file.path, size: size)) { Int(ftruncate(descriptor, off_t(size))) }
        }
    }

    /// Has the kernel begin to write a range out, without waiting.
    ///
    /// It promises nothing, so no failure is told.
    package func startWriting(_ file: OpenFile, at offset: Int64, count: Int64) {
        _ = try? file.use(for: .syncFileRange) { descriptor throws(FileError) in
            try perform(.syncFileRange(path: file.path, offset: offset, count: count)) {
                Int(haul_start_writing(descriptor, offset, count))
            }
        }
    }

    /// Waits until the content is on the medium: fdatasync(2).
    ///
    /// After a failure the kernel may have dropped what it could not write and call the next attempt a success: never
    /// repeat it.
    package func syncData(_ file: OpenFile) throws(FileError) {
        _ = try file.use(for: .fdatasync) { descriptor throws(FileError) in
            try perform(.fdatasync(path: file.path)) { Int(haul_sync_data(descriptor)) }
        }
    }

    /// As `syncData`, dates included: fsync(2).
    package func sync(_ file: OpenFile) throws(FileError) {
        _ = try file.use(for: .fsync) { descriptor throws(FileError) in
            try perform(.fsync(path: file.path)) { Int(haul_sync_file(descriptor)) }
        }
    }

    /// Sets when the content changed last, in seconds since 1970: futimens(3).
    package func setModified(_ file: OpenFile, seconds: Int64) throws(FileError) {
        _ = try file.use(for: .setModified) { descriptor throws(FileError) in
            try perform(.setModified(path: file.path, seconds: seconds)) { Int(haul_set_modified(descriptor, seconds)) }
        }
    }
}
