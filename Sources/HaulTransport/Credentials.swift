/// A user name and a password.
///
/// Their description contains neither.
public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The user name.
    public var user: String
    /// The password; empty if there is none.
    public var password: String

    /// Creates credentials.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Three dots.
    public var description: String { "..." }
    /// Three dots.
    public var debugDescription: String { "..." }
}
