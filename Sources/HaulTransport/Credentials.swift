/// A user name and a password.
///
/// Its description shows neither.
public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The user name.
    public var user: String
    /// The password; empty where there is none.
    public var password: String

    /// Makes credentials.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Three dots.
    public var description: String { "..." }
    /// Three dots.
    public var debugDescription: String { "..." }
}
