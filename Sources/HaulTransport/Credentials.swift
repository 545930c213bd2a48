/// A user name and a password.
///
/// Their description contains neither.
package struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The user name.
    package var user: String
    /// The password; empty if there is none.
    package var password: String

    /// Creates credentials.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Three dots.
    package var description: String { "..." }
    /// Three dots.
    package var debugDescription: String { "..." }
}
