package import HaulCore

/// The end of a run.
package struct Closing: Hashable, Sendable {
    /// The reason why the run was stopped, or nil if it was not.
    package var stop: StopReason?
    /// The duration of the run in seconds.
    package var seconds: Double
    /// True if stopped downloads can be resumed.
    package var resumes: Bool
    /// The policy for files that already exist.
    package var onConflict: ConflictPolicy
    /// True if the bytes went to standard output.
    package var streams: Bool
    /// True if the run only watched downloads: unfinished ones continue, and are not counted.
    package var watches: Bool

    /// Makes the value.
    package init(
        stop: StopReason?, seconds: Double, resumes: Bool, onConflict: ConflictPolicy, streams: Bool = false,
        watches: Bool = false
    ) {
        self.streams = streams
        self.watches = watches
        self.stop = stop
        self.seconds = seconds
        self.resumes = resumes
        self.onConflict = onConflict
    }
}

/// The reason why a run ends early.
package enum StopReason: Hashable, Sendable, CaseIterable {
    /// SIGINT, Ctrl-C.
    case interrupt
    /// SIGTERM.
    case terminate
    /// SIGHUP: the terminal was closed.
    case hangup
    /// Standard output has no reader any more.
    case outputClosed

    /// The exit code of the process.
    package var exitCode: ExitCode {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        case .hangup: .hungUp
        case .outputClosed: .outputClosed
        }
    }
}
