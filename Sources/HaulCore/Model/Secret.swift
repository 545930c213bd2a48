/// A secret: a password or a token.
///
/// Its textual descriptions do not contain the text, and the text is never written to a catalogue; the path of a file
/// may be.
public enum Secret: Sendable, Hashable {
    /// The secret itself.
    case text(String)
    /// The first line of this file, read when a download starts.
    case file(path: String)

    /// The path of the file that contains it; nil if there is none.
    package var path: String? {
        switch self {
        case .text: nil
        case .file(let path): path
        }
    }

    /// True if it would be lost if only its path were stored.
    package var isPassing: Bool { path == nil && self != Self.missing }

    /// The replacement for a secret that was not stored.
    package static let missing = Secret.text("")
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path, or three dots.
    public var description: String { path.map { "file \($0)" } ?? "..." }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Hides the text from `dump`, too.
    public var customMirror: Mirror { Mirror(self, children: ["path": path as Any]) }
}

/// The HTTP authentication schemes.
public enum AuthenticationScheme: String, Sendable, Hashable, Codable, CaseIterable {
    /// The most secure scheme that the server offers.
    ///
    /// The password is sent in clear text over TLS, or if the server offers nothing else.
    case any
    /// The password is sent in clear text (RFC 7617).
    case basic
    /// A digest of the password and a nonce of the server (RFC 7616).
    case digest
    /// NTLM ([MS-NLMP]).
    case ntlm
    /// Kerberos or NTLM, as negotiated with the server (RFC 4559).
    case negotiate
}
