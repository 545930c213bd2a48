package import HaulCore

/// The reason why a daemon that was started in the background has ended at once: its exit code, and the last error in its log.
package struct StartFailure: Hashable, Sendable {
    /// As waitpid(2) reports it.
    package let status: Int32
    /// What it wrote to its log.
    package let words: String

    /// Makes one.
    package init(status: Int32, words: String) { (self.status, self.words) = (status, words) }

    /// The daemon's own error; if it left none, where to look.
    ///
    /// - Parameter log: The path of the log.
    package func error(log: String) -> DownloadError {
        let prefix = "haul: "
        let line = words.split(whereSeparator: \.isNewline).last { $0.hasPrefix(prefix) }
        // A process that a signal ended has no exit code (wait(2)).
        let number = status & 0x7f == 0 ? (status >> 8) & 0xff : nil
        guard let line, let number,
            let code = DownloadError.Code(exitCode: number)
        else { return DownloadError(.internal, "the daemon exited at once: see \(log)") }
        return DownloadError(code, "the daemon did not start: \(line.dropFirst(prefix.count))")
    }
}
