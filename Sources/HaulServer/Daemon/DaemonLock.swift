package import HaulCore
import HaulLibC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lock of the only daemon for a state folder: a second one fails to start.
///
/// It is a kernel lock (flock(2)) and ends with the process, however that ends; the file stays and contains the process
/// ID.
package final class DaemonLock: Sendable {
    package let file: Int32

    /// Takes the lock.
    ///
    /// - Throws: `DownloadError` with code `catalogueBusy` if another daemon has it, or `fileFailed`.
    package init(path: String) throws(DownloadError) {
        // Unsafe: the path is copied by the call.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemFailure.error("can't open the daemon's lock \(path)", errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.number(in: file)
            close(file)
            guard code == EWOULDBLOCK else {
                throw SystemFailure.error("can't lock \(path)", code)
            }
            throw DownloadError(
                .catalogueBusy,
                "a daemon is already running" + (holder.map { " (process \($0))" } ?? "") + ": see haul daemon status")
        }
        self.file = file
        let text = Array("\(getpid())\n".utf8)
        // Unsafe: the buffer is borrowed for the call. The number is only informational.
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
        _ = ftruncate(file, off_t(text.count))
    }

    /// Releases the lock, even if a process that is being started has a copy of the descriptor.
    deinit {
        _ = flock(file, LOCK_UN)
        close(file)
    }

    /// Returns the process that holds the lock, or nil.
    package static func holder(path: String) -> Int32? {
        // Unsafe: the path is copied by the call.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer {
            _ = flock(file, LOCK_UN)
            close(file)
        }
        // If a shared lock is available at once, the lock is free.
        guard flock(file, LOCK_SH | LOCK_NB) != 0 else { return nil }
        return number(in: file)
    }

    /// Returns true if a process of this system has the lock's file open; nil if that can't be seen, as with another
    /// user's process.
    ///
    /// The number in the file, or in a response, may be that of a process in another container or on another machine,
    /// and here be that of any program.
    package static func isOpen(path: String, in process: Int32) -> Bool? {
        #if os(Linux)
            var lock = stat()
            // Unsafe, here and below: the paths are copied by the calls, and the kernel fills values that outlive them.
            guard unsafe stat(path, &lock) == 0 else { return false }
            let folder = "/proc/\(process)/fd"
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
                return unsafe access("/proc/\(process)", F_OK) == 0 ? nil : false
            }
            return names.contains { name in
                var file = stat()
                return unsafe stat("\(folder)/\(name)", &file) == 0
                    && file.st_dev == lock.st_dev && file.st_ino == lock.st_ino
            }
        #else
            return nil
        #endif
    }

    private static func number(in file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        // Unsafe: the buffer is borrowed for the call.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
