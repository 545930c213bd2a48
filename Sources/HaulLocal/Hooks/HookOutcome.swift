package import HaulManager
package import HaulProcesses

/// The outcome of a hook that was due.
package enum HookOutcome: Hashable, Sendable {
    /// It was run, or could not be started.
    case ended(ProcessOutcome)
    /// It is still running, and is not waited for.
    case left
    /// It was never run: too many others were waiting, or the runner was closed.
    case dropped

    /// True if it was run and did not report a failure.
    var isSuccess: Bool { self == .ended(.exited(code: 0)) || self == .left }
}

extension HookOutcome: CustomStringConvertible {
    /// The value as text, for logs.
    package var description: String {
        switch self {
        case .ended(let outcome): outcome.description
        case .left: "still running"
        case .dropped: "never run"
        }
    }
}

/// A hook that was due, and its outcome.
package struct HookReport: Hashable, Sendable {
    /// The command.
    package var command: HookCommand
    /// The context passed to it.
    package var context: HookContext
    /// The outcome.
    package var outcome: HookOutcome
}
