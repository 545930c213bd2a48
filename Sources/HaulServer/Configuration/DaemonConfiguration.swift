package import Haul
package import HaulCore
package import Logging

/// How the daemon is to work.
package struct DaemonConfiguration: Sendable {
    /// Where it keeps what is its own.
    package var paths: DaemonPaths
    /// The folders that downloads may go to, the usual one first.
    package var roots: [String] = []
    /// `~/Downloads`, where nothing names another folder: it is made if it is not there.
    package let defaultRoot: String?
    /// The TCP port that it listens on besides its Unix socket; nil: none; 0: any that is free.
    package var port: Int?
    /// The address for that port.
    package var address = "127.0.0.1"
    /// Whether another address than one of loopback is meant: the token then crosses the network in the clear.
    package var allowsRemote = false
    /// Further names by which it may be called, as browsers send them in `Host`.
    package var hosts: [String] = []
    /// Whether sources at private addresses may be added over TCP, too.
    package var privateAddresses = false
    /// What can be changed while it works.
    package var settings = ManagerSettings()
    /// Whether downloads go on by themselves after a start.
    package var resumesAtStart = true
    /// Whether the desktop is told of downloads that have ended.
    package var notifies = false
    /// Where is told over HTTP what happens to downloads; nil: nowhere.
    package var webhook: WebhookSettings?
    /// Whether pages of all origins may call aria2's JSON-RPC, with the token.
    package var allowsRPCFromAllOrigins = false
    /// A file of certificates that are trusted instead of the system's.
    package var caCertificatePath: String?
    /// The proxy for all URLs; nil: as the environment says.
    package var proxy: String?
    /// The hosts that are asked without it.
    package var noProxy: String?
    /// What is logged.
    package var logLevel = Logger.Level.info
    /// Whether a client may start the daemon if it is not at work.
    package var autostart = true
    /// Whether the socket was named, and so is that of a service.
    package var hasNamedSocket = false
    /// The form of the log's lines; nil: for the journal if standard error leads there, else text.
    package var logFormat: LogFormat?

    /// Makes the defaults: one root, the user's folder for downloads.
    package init(paths: DaemonPaths, environment: [String: String]) {
        self.paths = paths
        let named = environment["XDG_DOWNLOAD_DIR"]
        defaultRoot = named == nil ? environment["HOME"].map { $0 + "/Downloads" } : nil
        roots = [named ?? defaultRoot].compactMap(\.self)
    }

    /// Whether the address is one of this machine alone.
    var isLoopback: Bool {
        guard let ip = IPAddress(address) else { return address == "localhost" }
        return ip.bytes == [127, 0, 0, 1] || ip.bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Checks what can only be seen in the whole.
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

    /// The proxies that are meant: without the setting those of the environment, with an empty one none.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the proxy's URL is none.
    package func proxies(environment: [String: String]) throws(DownloadError) -> ProxySettings {
        var settings = ProxySettings()
        if let proxy, !proxy.isEmpty { settings = try ProxySettings(url: proxy) }
        if proxy == nil { settings = try ProxySettings(environment: environment) }
        if let noProxy { settings.setNoProxy(noProxy) }
        return settings
    }
}
