package import HaulCore

/// The rules for sources of downloads.
package struct SourceRules: Hashable, Sendable {
    /// The daemon's own TCP port, if it has one.
    package var ownPort: Int?
    /// True if loopback, private and link-local addresses are allowed to the client.
    package var allowsPrivateAddresses: Bool
    /// True if the client is on the Unix socket: its downloads may use all addresses, whatever the setting is later.
    package var isLocal: Bool

    /// Makes rules.
    package init(ownPort: Int?, allowsPrivateAddresses: Bool, isLocal: Bool = false) {
        (self.ownPort, self.allowsPrivateAddresses, self.isLocal) = (ownPort, allowsPrivateAddresses, isLocal)
    }

    /// True if the setting decides, at each start of the client's downloads, whether they may use private addresses.
    ///
    /// This is a property of the download, so that a retry by another client allows nothing more.
    package var limitsToPublicAddresses: Bool { !isLocal }

    /// Checks the sources of a spec, and has the transport check the addresses that it connects to.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func apply(to spec: inout DownloadSpec) throws(DownloadError) {
        try check(spec.url)
        for mirror in spec.mirrors { try check(mirror.url) }
        spec.publicAddressesOnly = limitsToPublicAddresses
    }

    /// Checks the scheme of a source.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package static func checkKind(_ source: SourceURL) throws(DownloadError) {
        guard source.isWeb else {
            throw DownloadError(.invalidRequest, "the daemon supports only http and https: use haul get")
        }
    }

    /// Checks a URL: its scheme, and that it is neither the daemon's own nor has a private address as its host.
    ///
    /// Names are not resolved here: their addresses are checked when the connection is made.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func check(_ url: String) throws(DownloadError) {
        let source = try SourceURL(parsing: url)
        try Self.checkKind(source)
        let host = source.host.lowercased()
        let address = IPAddress(host)
        let isLocal = host == "localhost" || host.hasSuffix(".localhost") || address?.isPublic == false
        if isLocal, let ownPort, source.origin.port == ownPort {
            throw DownloadError(.invalidRequest, "the daemon does not download from its own port")
        }
        guard allowsPrivateAddresses || !isLocal else { throw .privateAddress(host) }
    }
}
