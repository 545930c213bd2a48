/// The authentication of a request to a server or proxy, apart from headers that the request already contains.
public struct Authentication: Sendable, Hashable {
    /// The schemes of RFC 7617, RFC 7616, [MS-NLMP] and RFC 4559.
    ///
    /// For FTP and SFTP each of them means user name and password.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Sends the password as it is.
        case basic
        /// Sends a digest of the password and a nonce of the server.
        case digest
        /// NTLM.
        case ntlm
        /// Kerberos or NTLM, as negotiated between the server and this machine.
        case negotiate
    }

    /// The schemes that may be used; the transport chooses the strongest that the server offers.
    public var schemes: Set<Scheme>
    /// The user name and password.
    public var credentials: Credentials

    /// Creates an authentication from schemes and credentials.
    public init(_ schemes: Set<Scheme>, _ credentials: Credentials) {
        self.schemes = schemes
        self.credentials = credentials
    }
}

/// A user name and a password.
///
/// Their description contains neither.
public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The user name.
    public var user: String
    /// The password, or an empty text.
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

/// The certificate that a client presents to a server that requests one (RFC 8446, section 4.4.2).
public struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file with the certificate, followed by those that lead to its root.
    public var certificatePath: String
    /// The path of a PEM file with the private key; nil if the certificate's file contains it.
    public var keyPath: String?

    /// Creates a client certificate from the paths of its files.
    public init(certificatePath: String, keyPath: String? = nil) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }
}
