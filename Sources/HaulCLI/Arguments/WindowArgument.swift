import Haul
package import HaulCore

/// The value of `--stream-window`: a number of bytes.
package struct WindowArgument: Hashable, Sendable {
    /// The window in bytes.
    package let bytes: Int64

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected range.
    package init(parsing text: String) throws(DownloadError) {
        let bytes = try ByteCount.parse(text)
        guard DownloadEngine.streamWindows.contains(bytes) else {
            throw DownloadError(
                .invalidRequest, "invalid value \"\(text)\": expected a size from 1M to 4G, such as 64M")
        }
        self.bytes = bytes
    }
}
