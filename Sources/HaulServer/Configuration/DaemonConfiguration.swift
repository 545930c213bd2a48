package import Haul
package import HaulCore
package import Logging

/// The configuration of the daemon.
package struct DaemonConfiguration: Sendable {
    /// The paths of the daemon's own files.
    package var paths: DaemonPaths
    /// The folders that downloads may be saved in, the default one first.
    package var roots: [String] = []
    /// `~/Downloads`, if no other folder is set: it is created if it does not exist.
    package let defaultRoot: String?
    /// The TCP port to listen on in addition to the Unix socket; nil means none, 0 any free port.
    package var port: Int?
    /// The address for that port.
    package var address = "127.0.0.1"
    /// True if an address other than loopback is allowed; the token then crosses the network unencrypted.
    package var allowsRemote = false
    /// More names of this host, as browsers send them in `Host`.
    package var hosts: [String] = []
    /// True if sources at private addresses may also be added over TCP.
    package var privateAddresses = false
    /// The settings that can be changed while the daemon runs.
    package var settings = ManagerSettings()
    /// True if downloads resume automatically at start.
    package var resumesAtStart = true
    /// The number of ended downloads that stay in the list; beyond that, the first ones are removed.
    package var keepsHistory = 1_000_000
    /// True if desktop notifications are shown for downloads that have ended.
    package var notifies = false
    /// The webhook that events are sent to; nil means none.
    package var webhook: WebhookSettings?
    /// True if pages of any origin may call aria2's JSON-RPC, with the token.
    package var allowsRPCFromAllOrigins = false
    /// The path of a file of certificates to trust instead of the system's.
    package var caCertificatePath: String?
    /// The proxy for all URLs; nil means those of the environment.
    package var proxy: String?
    /// The hosts that are reached without the proxy.
    package var noProxy: String?
    /// The minimum level of log messages.
    package var logLevel = Logger.Level.info
    /// True if a client may start the daemon when it is not running.
    package var autostart = true
    /// True if the socket was set explicitly, and so belongs to a service.
    package var hasNamedSocket = false
    /// The format of log lines; nil means the journal's format if standard error is connected to the journal, or else
    /// text.
    package var logFormat: LogFormat?

    /// Makes the default configuration: one root, the user's download folder.
    package init(paths: DaemonPaths, environment: [String: String]) {
        self.paths = paths
        let named = environment["XDG_DOWNLOAD_DIR"]
        defaultRoot = named == nil ? environment["HOME"].map { $0 + "/Downloads" } : nil
        roots = [named ?? defaultRoot].compactMap(\.self)
    }

    /// True if the address is a loopback address.
    var isLoopback: Bool {
        guard let ip = IPAddress(address) else { return address == "localhost" }
        return ip.bytes == [127, 0, 0, 1] || ip.bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Checks settings that depend on each other.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func check() throws(DownloadError) {
        if port != nil, !isLoopback, !allowsRemote {
            throw DownloadError(
                .invalidRequest,
                "\(address) can be reached from other machines, and connections are not encrypted: "
                    + "to allow it, set allow-remote = true")
        }
        if let port, !(0...65535).contains(port) {
            throw DownloadError(.invalidRequest, "port must be from 0 to 65535, not \(port)")
        }
    }

    /// Returns the proxies: those of the environment if the setting is missing, none if it is empty.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the proxy's URL is invalid.
    package func proxies(environment: [String: String]) throws(DownloadError) -> ProxySettings {
        var settings = ProxySettings()
        if let proxy, !proxy.isEmpty { settings = try ProxySettings(url: proxy) }
        if proxy == nil { settings = try ProxySettings(environment: environment) }
        if let noProxy { settings.setNoProxy(noProxy) }
        return settings
    }
}
