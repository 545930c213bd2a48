import HaulCore
import HaulLibC

/// Errors of system calls, for people.
enum SystemFailure {
    /// Returns an error with the system's own words as its cause.
    static func error(_ message: String, _ code: Int32) -> DownloadError {
        let isFull = code == ENOSPC || code == EDQUOT
        return DownloadError(isFull ? .noSpace : .fileFailed, message, cause: text(code))
    }

    /// Returns the system's words for a number of errno(3).
    static func text(_ code: Int32) -> String {
        // Unsafe: strerror returns a static or thread-local C string, which is copied at once.
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

/// Calls write(2), under a name that no method shadows.
func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    // Unsafe: the caller lends `count` bytes.
    unsafe write(file, bytes, count)
}

/// Calls read(2), under a name that no method shadows.
func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    // Unsafe: the caller lends `count` bytes.
    unsafe read(file, bytes, count)
}
