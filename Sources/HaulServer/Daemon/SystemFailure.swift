import HaulCore
import HaulLibC

/// What the system refused, as an error for people.
enum SystemFailure {
    /// An error with the system's own words as its cause.
    static func error(_ message: String, _ code: Int32) -> DownloadError {
        DownloadError(.fileFailed, message, cause: text(code))
    }

    /// The system's words for a number of errno(3).
    static func text(_ code: Int32) -> String {
        // Unsafe: strerror returns a static or thread-local C string, which is copied at once.
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

/// read(2), by a name that no method hides.
func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    // Unsafe: the caller lends `count` bytes.
    unsafe read(file, bytes, count)
}
