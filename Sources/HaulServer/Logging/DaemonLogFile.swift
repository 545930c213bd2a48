package import HaulCore
import HaulLibC

/// The file to which `haul daemon start` directs standard error.
package struct DaemonLogFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Returns the file that a descriptor writes to, standard error unless another one is given; nil if that is not the
    /// file at this path.
    package init?(path: String, descriptor: Int32 = 2) {
        (self.path, self.descriptor) = (path, descriptor)
        guard isThere else { return nil }
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

    /// True if the descriptor writes to the file that has this path now.
    private var isThere: Bool {
        var (opened, named) = (stat(), stat())
        // Unsafe: the kernel fills values that outlive the calls, and reads the path up to its NUL.
        guard unsafe fstat(descriptor, &opened) == 0, unsafe stat(path, &named) == 0 else { return false }
        return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }
}
