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
