import HaulCore
import HaulLibC

/// A small file of the state folder.
enum StateFile {
    /// Returns the content of a file; nil if it does not exist.
    ///
    /// - Parameter what: The content, for the error message.
    /// - Throws: `DownloadError` with code `fileFailed` if the file can't be read: it must not be taken for a missing one,
    ///   and replaced.
    static func read(_ path: String, _ what: String) throws(DownloadError) -> [UInt8]? {
        let message = "can't read \(what) in \(path)"
        // Unsafe: the path is copied by the call.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemFailure.error(message, errno)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // Unsafe: the buffer is borrowed for the call.
            let count = unsafe part.withUnsafeMutableBytes { unsafe systemRead(file, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw SystemFailure.error(message, errno) }
            guard count != 0 else { return bytes }
            bytes += part.prefix(max(count, 0))
        }
    }
}
