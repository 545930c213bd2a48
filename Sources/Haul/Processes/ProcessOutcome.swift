/// How a child process ended.
package enum ProcessOutcome: Hashable, Sendable {
    /// It ended by itself, with this status; 0 is success.
    case exited(code: Int32)
    /// A signal ended it (signal(7)).
    case signalled(Int32)
    /// It ran longer than it may, and was killed with its process group.
    case timedOut
    /// The task that waited for it was cancelled; it was killed with its process group.
    case cancelled
    /// There never was such a process; the reason is for people.
    case couldNotStart(reason: String)

    /// Whether it did what it should.
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
