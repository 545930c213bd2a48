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
