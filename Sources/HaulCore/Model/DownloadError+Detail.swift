extension DownloadError {
    /// The exact problem, for failures that the user can do something about.
    ///
    /// A program that shows errors can use it to look up its own advice; the message names hosts, certificates and
    /// limits.
    public enum Detail: String, Sendable, Codable, CaseIterable {
        // MARK: Certificates and keys
        /// The certificate has expired.
        case certificateExpired
        /// The certificate is not valid yet.
        case certificateNotYetValid
        /// The certificate is self-signed.
        case certificateSelfSigned
        /// The certificate was issued by an untrusted authority.
        case certificateAuthorityUnknown
        /// The certificate is for other hosts.
        case certificateForOtherHost
        /// The server requires a client certificate.
        case clientCertificateMissing
        /// The server refused the client certificate.
        case clientCertificateRefused
        /// The server aborted the TLS handshake, as some do if there is no client certificate.
        case handshakeRefused
        /// The SSH host key is not known.
        case hostKeyUnknown
        /// The SSH host key has changed.
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
        /// The server does not offer the requested authentication scheme.
        case otherSchemeNeeded
        /// The server returned 403 Forbidden, and no credentials were sent.
        case forbidden
        /// A redirect led to another host, which did not receive the credentials and requires some.
        case withheld

        // MARK: Proxies
        /// The proxy requires a user name and a password.
        case proxyLoginNeeded
        /// The proxy refused the user name or the password.
        case proxyLoginRefused
        /// The proxy does not speak TLS.
        case proxyWithoutTLS
        /// The proxy is unreachable, is not of the given type, or does not connect to the host.
        case proxyFailed

        // MARK: Waits
        /// There is no network: the system has no route to the host.
        case noNetwork
        /// No connection was established within the timeout.
        case slowToConnect
        /// No data was received within the timeout.
        case silent
        /// The server asked for a longer wait than is allowed.
        case longWait
        /// The server returned 429 Too Many Requests; fewer requests may help.
        case tooManyRequests

        // MARK: Ranges
        /// The server refused the request for the rest of the file.
        case rangeRefused

        // MARK: Streams
        /// The rest can't be fetched, and the start is not kept, or a stream has handed it over: only a new download
        /// can deliver the file.
        case mustStartAgain
        /// The request is not idempotent, and was not repeated because the server may have carried it out.
        case notRepeated

        // MARK: Rules of the caller
        /// A redirect leads from https to http.
        case downgrade
        /// The file does not match a checksum in a header of the response.
        case headerChecksum
        /// The file does not match a checksum that was found beside it.
        case foundChecksum
    }
}
