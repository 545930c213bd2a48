package import HaulCore
import HaulLibC
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A file to which lines are appended, each with the time.
///
/// If the file was renamed or removed, as logrotate(8) does, the next lines go to a new file under the same name.
package final class LogFile: Sendable {
    private let path: String
    private let descriptor: Mutex<Int32>

    /// Opens a file for appending, and creates it if it is missing.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` that names the file.
    package init(path: String) throws(DownloadError) {
        let opened = Self.open(path)
        guard opened >= 0 else {
            // Unsafe: the text belongs to the C library and is copied at once.
            throw DownloadError(
                .fileFailed, "can't open the log file \(path)",
                cause: unsafe String(cString: strerror(errno)))
        }
        self.path = path
        descriptor = Mutex(opened)
    }

    deinit { descriptor.withLock { _ = close($0) } }

    /// Appends lines, in one write unless the system takes less.
    ///
    /// - Returns: False if the write failed, for example because the disk is full.
    @discardableResult
    package func append(_ lines: String, at time: Date) -> Bool {
        descriptor.withLock { descriptor in
            if Self.hasMoved(descriptor, from: path) {
                let opened = Self.open(path)
                // If no new file can be made, the old one still takes the lines.
                if opened >= 0 {
                    close(descriptor)
                    descriptor = opened
                }
            }
            return OutputFile(descriptor: descriptor).write(Self.stamped(lines, at: time))
        }
    }

    /// Returns the lines, each preceded by the time: `2026-01-31T12:00:00Z line`.
    package static func stamped(_ lines: String, at time: Date) -> String {
        let stamp = time.formatted(.iso8601)
        return lines.split(separator: "\n").map { "\(stamp) \($0)\n" }.joined()
    }

    private static func open(_ path: String) -> Int32 {
        // Unsafe: the path is read up to its NUL and not kept.
        unsafe HaulLibC.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    }

    /// Returns true if an open regular file does not have this path any more.
    private static func hasMoved(_ descriptor: Int32, from path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        // Unsafe: the kernel fills values that outlive the calls.
        guard unsafe fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG else { return false }
        guard unsafe stat(path, &named) == 0 else { return errno == ENOENT }
        return opened.st_dev != named.st_dev || opened.st_ino != named.st_ino
    }
}
