/// The outcome of a child process.
package enum ProcessOutcome: Hashable, Sendable {
    /// It exited with this status; 0 is success.
    case exited(code: Int32)
    /// A signal ended it (signal(7)).
    case signalled(Int32)
    /// It exceeded its timeout, and was killed with its process group.
    case timedOut
    /// The waiting task was cancelled; the process was killed with its group.
    case cancelled
    /// It could not be started; the reason is for people.
    case couldNotStart(reason: String)

    /// True if it exited with status 0.
    package var isSuccess: Bool { self == .exited(code: 0) }
}

extension ProcessOutcome: CustomStringConvertible {
    /// The value as text, for logs.
    package var description: String {
        switch self {
        case .exited(let code): "exited with \(code)"
        case .signalled(let signal): "ended by signal \(signal)"
        case .timedOut: "killed: it took too long"
        case .cancelled: "killed: cancelled"
        case .couldNotStart(let reason): "could not start: \(reason)"
        }
    }
}
