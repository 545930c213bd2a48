package import HaulCore

/// The rules for sources of downloads.
package struct SourceRules: Hashable, Sendable {
    /// The daemon's own TCP port, if it has one.
    package var ownPort: Int?
    /// True if loopback, private and link-local addresses are allowed to the client.
    package var allowsPrivateAddresses: Bool

    /// Makes rules.
    package init(ownPort: Int?, allowsPrivateAddresses: Bool) {
        (self.ownPort, self.allowsPrivateAddresses) = (ownPort, allowsPrivateAddresses)
    }

    /// Checks the sources of a spec, and has the transport check the addresses that it connects to.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func apply(to spec: inout DownloadSpec) throws(DownloadError) {
        try check(spec.url)
        for mirror in spec.mirrors { try check(mirror.url) }
        spec.publicAddressesOnly = !allowsPrivateAddresses
    }

    /// Checks a URL: its scheme, and that it is neither the daemon's own nor has a private address as its host.
    ///
    /// Names are not resolved here: their addresses are checked when the connection is made.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func check(_ url: String) throws(DownloadError) {
        let source = try SourceURL(parsing: url)
        guard source.isWeb else {
            throw DownloadError(.invalidRequest, "the daemon supports only http and https: use haul get")
        }
        let host = source.host.lowercased()
        let address = IPAddress(host)
        let isLocal = host == "localhost" || host.hasSuffix(".localhost") || address?.isPublic == false
        if isLocal, let ownPort, source.origin.port == ownPort {
            throw DownloadError(.invalidRequest, "the daemon does not download from its own port")
        }
        guard allowsPrivateAddresses || !isLocal else { throw .privateAddress(host) }
    }
}
