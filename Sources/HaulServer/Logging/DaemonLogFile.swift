package import HaulCore
import HaulLibC
import Synchronization

/// The file to which `haul daemon start` directs standard error.
///
/// It and the older one together take at most twice the largest size.
package final class DaemonLogFile: Sendable {
    /// The size from which a file is replaced, on a large disk.
    package static let usualLimit: Int64 = 10 << 20

    private let path: String
    private let descriptor: Int32
    private let limit: Int64
    /// Held while the file is replaced: a second thread must not replace the new file.
    private let replacing = Mutex(())

    /// Returns the file that a descriptor writes to, standard error unless another one is given; nil if that is not the
    /// file at this path.
    ///
    /// - Parameter limit: The size in bytes from which the file is replaced; nil for 10 MiB, or a 32nd of a small disk.
    package init?(path: String, descriptor: Int32 = 2, limit: Int64? = nil) {
        (self.path, self.descriptor) = (path, descriptor)
        self.limit = limit ?? Self.limit(diskSize: Self.space(descriptor)?.size)
        guard isThere else { return nil }
    }

    /// Returns the size from which a file is replaced on a disk of this size; nil if that is unknown.
    package static func limit(diskSize: Int64?) -> Int64 {
        min(usualLimit, max((diskSize ?? .max) / 32, 64 << 10))
    }

    /// Opens the file again if it was renamed or removed, as logrotate(8) does, so that the descriptor writes to a new
    /// file under the same name.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if that is not possible; the descriptor then stays as it was.
    package func reopen() throws(DownloadError) {
        guard !isThere else { return }
        // Unsafe: the path is read up to its NUL and not kept.
        let opened = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw SystemFailure.error("can't open the log file \(path)", errno) }
        defer { close(opened) }
        guard dup2(opened, descriptor) >= 0 else {
            throw SystemFailure.error("can't write to the log file \(path)", errno)
        }
    }

    /// Renames a file that has become too large to `daemon.log.old`, and begins a new one.
    ///
    /// If that is not possible, the file continues to grow.
    package func replaceIfLarge() {
        guard isLarge else { return }
        replacing.withLock { _ in
            // Unsafe: the paths are copied by the call.
            guard isLarge, isThere, unsafe rename(path, path + ".old") == 0 else { return }
            try? reopen()
        }
    }

    private var isLarge: Bool {
        var opened = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        return unsafe fstat(descriptor, &opened) == 0 && opened.st_size >= limit
    }

    /// True if the descriptor writes to the file that has this path now.
    private var isThere: Bool {
        var (opened, named) = (stat(), stat())
        // Unsafe: the kernel fills values that outlive the calls, and reads the path up to its NUL.
        guard unsafe fstat(descriptor, &opened) == 0, unsafe stat(path, &named) == 0 else { return false }
        return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }

    /// Removes the older log if the disk is nearly full: opening the list may need its space.
    ///
    /// - Parameters:
    ///   - path: The path of the log.
    ///   - least: The number of free bytes below which the disk counts as nearly full.
    package static func returnSpace(path: String, least: Int64 = 1 << 20) {
        // Unsafe, here and below: the path is copied by the call.
        let old = unsafe open(path + ".old", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard old >= 0 else { return }
        defer { close(old) }
        if let space = space(old), space.available < least { _ = unsafe unlink(path + ".old") }
    }

    private static func space(_ descriptor: Int32) -> (size: Int64, available: Int64)? {
        var facts = statvfs()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe fstatvfs(descriptor, &facts) == 0 else { return nil }
        func bytes(_ blocks: some BinaryInteger) -> Int64 {
            let (bytes, isTooLarge) = Int64(clamping: blocks).multipliedReportingOverflow(by: Int64(facts.f_frsize))
            return isTooLarge ? .max : bytes
        }
        return (bytes(facts.f_blocks), bytes(facts.f_bavail))
    }
}
