/// Errors for which the command line has advice of its own.
///
/// They are recognised by their message, as those of `ForeignPartial` are: no program has to tell them apart.
extension DownloadError {
    /// Creates the error for a file that must not be replaced, and is not the expected one.
    package static func differentFile(at path: String) -> DownloadError {
        DownloadError(.destinationExists, differentFileStart + path)
    }

    /// Creates the error for something that is not a regular file where the file should be.
    ///
    /// - Parameter kind: What it is, such as `folder`.
    package static func notAFile(_ path: String, kind: String) -> DownloadError {
        DownloadError(.fileFailed, "\(path) is a \(kind)\(notAFileEnd)")
    }

    /// Returns the error of a server that asks for a longer pause than it gets.
    ///
    /// - Parameter limit: What the pause is beyond, such as "longer than the 60 s allowed".
    package static func longWait(_ status: Int, _ seconds: Int64, _ limit: String) -> DownloadError {
        DownloadError(
            .serverBusy,
            "the server returned \(statusLine(status)) and asks to wait \(Duration.seconds(seconds).inWords), \(limit)",
            detail: .longWait
        ).of(status: status)
    }

    /// Creates the error for a run that has taken the maximum time.
    package static func tookTooLong(_ maximum: Duration) -> DownloadError {
        DownloadError(.timedOut, "not complete after \(maximum.inWords)\(maximumTimeEnd)")
    }

    /// Creates the error for a removal of files outside the daemon's roots.
    package static func notRemovable(in folder: String, roots: [String]) -> DownloadError {
        DownloadError(
            .invalidRequest,
            "\(TerminalText.fitted(folder, width: 200)) is outside the daemon's roots "
                + "(\(roots.joined(separator: ", ")))\(notRemovableEnd)")
    }

    /// Creates the error for an unfinished download that is added again with a checksum that it is not verified against.
    ///
    /// - Parameter checksum: Its own checksum; nil if it has none.
    package static func earlierDownload(_ id: DownloadID, checksum: Checksum?) -> DownloadError {
        let own = checksum.map { "with another checksum, \($0.algorithm.rawValue):\($0.hex)" } ?? "without a checksum"
        return DownloadError(.invalidRequest, "\(unfinishedStart)\(id) \(own)")
    }

    /// Creates the error for a download that is added again with something that its file is not compared with.
    package static func earlierDownload(_ id: DownloadID, without comparison: String) -> DownloadError {
        DownloadError(.invalidRequest, "\(unfinishedStart)\(id), and not compared with \(comparison)")
    }

    /// Creates the error for a finished download that is added again with a checksum that its file does not have.
    ///
    /// - Parameter failed: The result of the verification.
    package static func earlierDownload(_ id: DownloadID, at path: String, failed: DownloadError) -> DownloadError {
        DownloadError(failed.code, "\(finishedStart)\(id) to \(path): \(failed.message)", cause: failed.cause)
    }

    /// The download that was added earlier, and whether it is finished; nil for any other error.
    package var earlierDownload: (id: DownloadID, isFinished: Bool)? {
        for (start, isFinished) in [(Self.unfinishedStart, false), (Self.finishedStart, true)]
        where message.hasPrefix(start) {
            guard let number = Int64(message.dropFirst(start.count).prefix { $0.isNumber }) else { return nil }
            return (DownloadID(rawValue: number), isFinished)
        }
        return nil
    }

    /// True for a file that exists and is not the expected one.
    package var isOfDifferentFile: Bool { code == .destinationExists && message.hasPrefix(Self.differentFileStart) }

    /// True for a run that has taken the maximum time.
    package var isOfMaximumTime: Bool { code == .timedOut && message.hasSuffix(Self.maximumTimeEnd) }

    /// True for a removal of files outside the daemon's roots.
    package var isOfNotRemovable: Bool { code == .invalidRequest && message.hasSuffix(Self.notRemovableEnd) }

    /// The folder that was named where a file should be; nil for any other error.
    package var folderInsteadOfFile: String? {
        let end = " is a folder" + Self.notAFileEnd
        return code == .fileFailed && message.hasSuffix(end) ? String(message.dropLast(end.count)) : nil
    }

    private static let unfinishedStart = "in the list as #"
    private static let finishedStart = "already downloaded as #"
    private static let differentFileStart = "file exists, and is a different one: "
    private static let notAFileEnd = ", not a file: choose another name"
    private static let notRemovableEnd = ": remove the file yourself, and the download without its files"
    private static let maximumTimeEnd = ", the maximum time"
}
