extension DownloadError {
    /// What exactly happened, for failures about which something can be done.
    ///
    /// A program that shows errors can look up its own advice by it; the message names hosts, certificates and limits.
    public enum Detail: String, Sendable, Codable, CaseIterable {
        // MARK: Certificates and keys
        /// The certificate has expired.
        case certificateExpired
        /// The certificate is not valid yet.
        case certificateNotYetValid
        /// The certificate is signed by nobody but itself.
        case certificateSelfSigned
        /// The certificate was issued by an authority that is not trusted.
        case certificateAuthorityUnknown
        /// The certificate is for other hosts.
        case certificateForOtherHost
        /// The server requires a client certificate.
        case clientCertificateMissing
        /// The server refused the client certificate.
        case clientCertificateRefused
        /// The server broke the TLS handshake off, as some do without a client certificate.
        case handshakeRefused
        /// The SSH host key is not known.
        case hostKeyUnknown
        /// The SSH host key is not the known one.
        case hostKeyChanged

        // MARK: Protocols
        /// The server does not speak TLS at this port.
        case serverWithoutTLS
        /// The server expects TLS at this port.
        case serverWithTLS
        /// The server does not speak HTTP.
        case serverWithoutHTTP

        // MARK: Logging in
        /// The server requires a user name and a password.
        case loginNeeded
        /// The server requires a bearer token.
        case tokenNeeded
        /// The server refused the user name, the password or the token.
        case loginRefused
        /// The server does not offer the way to log in that was asked for.
        case otherSchemeNeeded
        /// The server answered 403, and nobody had logged in.
        case forbidden

        // MARK: Proxies
        /// The proxy requires a user name and a password.
        case proxyLoginNeeded
        /// The proxy refused the user name or the password.
        case proxyLoginRefused
        /// The proxy does not speak TLS.
        case proxyWithoutTLS
        /// The proxy can't be reached, is not of the kind that was named, or does not connect to the host.
        case proxyFailed

        // MARK: Waits
        /// There was no connection within the time allowed.
        case slowToConnect
        /// Nothing came within the time allowed.
        case silent
        /// The server asked for a longer wait than is allowed.
        case longWait
        /// The server answered 429: fewer requests may help.
        case tooManyRequests

        // MARK: Rules of the caller
        /// A redirect leads from https to http.
        case downgrade
        /// A checksum in a header of the response does not fit.
        case headerChecksum
        /// A checksum that was found beside the file does not fit.
        case foundChecksum
    }
}
