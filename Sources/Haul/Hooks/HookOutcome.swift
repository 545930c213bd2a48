/// What became of one hook that was due.
package enum HookOutcome: Hashable, Sendable {
    /// It was run, or could not be started.
    case ended(ProcessOutcome)
    /// It was never run: too many others were waiting, or the runner was closed.
    case dropped
}

extension HookOutcome: CustomStringConvertible {
    /// The value as text, for logs.
    package var description: String {
        switch self {
        case .ended(let outcome): outcome.description
        case .dropped: "never run"
        }
    }
}

/// A hook that was due, and what became of it.
package struct HookReport: Hashable, Sendable {
    /// The command.
    package var command: HookCommand
    /// What it was told.
    package var context: HookContext
    /// What became of it.
    package var outcome: HookOutcome
}

/// What a command can be run on.
public enum HookEvent: String, Hashable, Sendable, Codable, CaseIterable {
    /// A download was added.
    case added
    /// The server has answered and the place of the file is known.
    case started
    /// The file stands complete under its final name.
    case completed
    /// A download ended without a file.
    case failed
    /// Nothing runs and nothing waits for its turn any more.
    case idle
}
