package import HaulCore
import HaulLibC

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A file to which lines are appended, each with the time.
package struct LogFile: Sendable {
    private let file: OutputFile

    /// Opens a file for appending, and creates it if it is missing; it stays open until the process ends.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` that names the file.
    package init(path: String) throws(DownloadError) {
        // Unsafe: the path is read up to its NUL and not kept.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            // Unsafe: the text belongs to the C library and is copied at once.
            throw DownloadError(
                .fileFailed, "can't open the log file \(path)",
                cause: unsafe String(cString: strerror(errno)))
        }
        file = OutputFile(descriptor: descriptor)
    }

    /// Appends lines, in one write unless the system takes less.
    ///
    /// - Returns: False if the write failed, for example because the disk is full.
    @discardableResult
    package func append(_ lines: String, at time: Date) -> Bool { file.write(Self.stamped(lines, at: time)) }

    /// Returns the lines, each preceded by the time: `2026-01-31T12:00:00Z line`.
    package static func stamped(_ lines: String, at time: Date) -> String {
        let stamp = time.formatted(.iso8601)
        return lines.split(separator: "\n").map { "\(stamp) \($0)\n" }.joined()
    }
}
