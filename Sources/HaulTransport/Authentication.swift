/// How a server or proxy may be told who asks, beyond headers that stand in the request already.
public struct Authentication: Sendable, Hashable {
    /// The ways of RFC 7617, RFC 7616, [MS-NLMP] and RFC 4559; for FTP and SFTP every one means user name and password.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// The password is sent as it is.
        case basic
        /// A digest over the password and a number of the server's.
        case digest
        /// NTLM.
        case ntlm
        /// Kerberos or NTLM, as the server and this machine agree.
        case negotiate
    }

    /// The ways that may be used; the transport takes the strongest that the server offers.
    public var schemes: Set<Scheme>
    /// Who asks.
    public var credentials: Credentials

    /// Names the ways and who asks.
    public init(_ schemes: Set<Scheme>, _ credentials: Credentials) {
        self.schemes = schemes
        self.credentials = credentials
    }
}
