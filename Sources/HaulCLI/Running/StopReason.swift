/// What ends a run before its time.
package enum StopReason: Hashable, Sendable, CaseIterable {
    /// SIGINT, Ctrl-C.
    case interrupt
    /// SIGTERM.
    case terminate
    /// SIGHUP: the terminal was closed.
    case hangup
    /// Nobody reads standard output any more.
    case outputClosed

    /// The number that the process ends with.
    package var exitCode: ExitCode {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        case .hangup: .hungUp
        case .outputClosed: .outputClosed
        }
    }
}
