package import HaulCore

/// The reason why a daemon started in the background has exited at once: its exit code, and the last error in its log.
package struct StartFailure: Hashable, Sendable {
    /// The status as reported by waitpid(2).
    package let status: Int32
    /// The text that it wrote to its log.
    package let words: String

    /// Makes the value.
    package init(status: Int32, words: String) { (self.status, self.words) = (status, words) }

    /// Returns the daemon's own error; if it left none, an error that names the log.
    ///
    /// - Parameter log: The path of the log.
    package func error(log: String) -> DownloadError {
        let prefix = "haul: "
        let line = words.split(whereSeparator: \.isNewline).last { $0.hasPrefix(prefix) }
        // A process ended by a signal has no exit code (wait(2)).
        let number = status & 0x7f == 0 ? (status >> 8) & 0xff : nil
        guard let number, let code = DownloadError.Code(exitCode: number) else {
            return DownloadError(.internal, "the daemon exited at once: see \(log)")
        }
        let reason =
            line.map { String($0.dropFirst(prefix.count)) } ?? "see \(log); if it says nothing, its disk may be full"
        return DownloadError(code, "the daemon did not start: \(reason)")
    }
}
