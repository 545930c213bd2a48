/// The authentication of a request to a server or proxy, apart from headers that the request already contains.
package struct Authentication: Sendable, Hashable {
    /// The schemes of RFC 7617, RFC 7616, [MS-NLMP] and RFC 4559.
    ///
    /// For FTP and SFTP each of them means user name and password.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
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
    package var schemes: Set<Scheme>
    /// The user name and password.
    package var credentials: Credentials

    /// Creates an authentication from schemes and credentials.
    package init(_ schemes: Set<Scheme>, _ credentials: Credentials) {
        self.schemes = schemes
        self.credentials = credentials
    }
}

/// A user name and a password.
///
/// Their description contains neither.
package struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The user name.
    package var user: String
    /// The password, or an empty text.
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

/// The certificate that a client presents to a server that requests one (RFC 8446, section 4.4.2).
package struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file with the certificate, followed by those that lead to its root.
    package var certificatePath: String
    /// The path of a PEM file with the private key; nil if the certificate's file contains it.
    package var keyPath: String?

    /// Creates a client certificate from the paths of its files.
    package init(certificatePath: String, keyPath: String? = nil) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }
}
