import Haul
package import HaulCore

/// The value of `--stream-window`: an amount of bytes.
package struct WindowArgument: Hashable, Sendable {
    /// The window as the engine takes it.
    package let bytes: Int64

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that says what would be right.
    package init(parsing text: String) throws(DownloadError) {
        let bytes = try ByteCount.parse(text)
        guard DownloadEngine.streamWindows.contains(bytes) else {
            throw DownloadError(
                .invalidRequest, "invalid value \"\(text)\": expected a size from 1M to 4G, such as 64M")
        }
        self.bytes = bytes
    }
}
