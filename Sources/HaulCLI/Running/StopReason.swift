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
