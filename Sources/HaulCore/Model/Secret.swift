/// Something that nobody else may learn: a password, a token.
///
/// However it is printed, a text is not shown; and it is never written to a catalogue, while the path of a file may be.
public enum Secret: Sendable, Hashable {
    /// The secret itself.
    case text(String)
    /// The first line of this file, read when a download starts.
    case file(path: String)

    /// The path, where it stands in a file.
    package var path: String? {
        switch self {
        case .text: nil
        case .file(let path): path
        }
    }

    /// Whether it would be lost if only its path were kept.
    package var isPassing: Bool { path == nil && self != Self.missing }

    /// What is left of one that was not stored.
    package static let missing = Secret.text("")
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path, or three dots.
    public var description: String { path.map { "file \($0)" } ?? "..." }
    /// The same.
    public var debugDescription: String { description }
    /// Hides a text from `dump`, too.
    public var customMirror: Mirror { Mirror(self, children: ["path": path as Any]) }
}

/// How a server is told who asks.
public enum AuthenticationScheme: String, Sendable, Hashable, Codable, CaseIterable {
    /// The best that the server offers.
    ///
    /// The password is sent as it is over TLS, or if the server offers nothing else.
    case any
    /// The password is sent as it is (RFC 7617).
    case basic
    /// A digest over the password and a number of the server's (RFC 7616).
    case digest
    /// NTLM ([MS-NLMP]).
    case ntlm
    /// Kerberos or NTLM, as the server and this machine agree (RFC 4559).
    case negotiate
}
