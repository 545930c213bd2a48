package import HaulCore
import HaulLibC

/// A small file of the user's that is read completely: passwords, cookies.
///
/// It does not use `SystemCalls`, which does not follow links or wait for pipes, as is right for output files; here, the
/// user may want a link or a pipe (`<(pass show x)`).
package struct SmallFile: Sendable {
    /// The usual maximum size.
    package static let limit = 16 << 20

    /// The contents.
    package let bytes: [UInt8]

    /// Reads a file, or standard input for `-`; it may block.
    ///
    /// - Parameters:
    ///   - what: The kind of file, for the error message: `the cookie file`.
    ///   - limit: The maximum size, a whole number of MiB.
    /// - Throws: `DownloadError` with code `invalidRequest` that names the path.
    package init(_ path: String, _ what: String, limit: Int = SmallFile.limit) throws(DownloadError) {
        // Unsafe: the path is read up to its NUL during the call.
        let descriptor = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path, what, errno) }
        defer { if path != "-" { _ = close(descriptor) } }
        var bytes: [UInt8] = []
        while true {
            let (chunk, code) = Self.chunk(of: descriptor)
            guard code == 0 else { throw Self.failure(path, what, code) }
            if chunk.isEmpty { break }
            bytes += chunk
            guard bytes.count <= limit else {
                throw DownloadError(.invalidRequest, "\(what), \(path), is larger than \(limit >> 20) MiB")
            }
        }
        self.bytes = bytes
    }

    /// Returns the first line, without its line break.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is empty, not UTF-8, or contains control characters.
    package static func line(_ path: String, _ what: String) throws(DownloadError) -> String {
        let bytes = try SmallFile(path, what).bytes
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty, let text = String(validating: line, as: UTF8.self),
            line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw DownloadError(
                .invalidRequest, "\(what), \(path), must contain one line of text without control characters")
        }
        return text
    }

    private static func chunk(of descriptor: Int32) -> (bytes: [UInt8], code: Int32) {
        var code: Int32 = 0
        // Unsafe: read(2) writes at most the capacity, and only what it wrote becomes part of the array.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            var got = 0
            repeat { got = unsafe read(descriptor, buffer.baseAddress, buffer.count) } while got < 0 && errno == EINTR
            code = got < 0 ? errno : 0
            count = max(0, got)
        }
        return (bytes, code)
    }

    private static func failure(_ path: String, _ what: String, _ code: Int32) -> DownloadError {
        // Unsafe: the text belongs to the C library and is copied at once.
        let cause = unsafe strerror(code).map { unsafe String(cString: $0) }
        return DownloadError(.invalidRequest, "\(what), \(path), can't be read", cause: cause)
    }
}
