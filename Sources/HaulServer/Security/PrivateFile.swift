import HaulLibC

/// A file that other users can't read at any time.
enum PrivateFile {
    /// Writes a new file, in place of one with this path, and waits until it is on the disk.
    ///
    /// - Returns: The number of errno(3), in which case there is no file; nil if it succeeded.
    static func write(_ bytes: [UInt8], to path: String) -> Int32? {
        // Unsafe, here and below: the path is copied by the calls.
        _ = unsafe unlink(path)
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        var rest = bytes[...]
        while !rest.isEmpty {
            // Unsafe: the buffer is borrowed for the call.
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { break }
            rest = rest.dropFirst(max(count, 0))
        }
        var code = rest.isEmpty && fsync(file) == 0 ? nil : errno
        if close(file) != 0 { code = code ?? errno }
        if code != nil { _ = unsafe unlink(path) }
        return code
    }
}
