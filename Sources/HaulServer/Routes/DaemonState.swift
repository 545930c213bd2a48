package import Haul
package import HaulCore
package import HaulWire

/// What the routes work on.
package final class DaemonState: Sendable {
    /// The list of downloads.
    package let manager: DownloadManager
    /// Where settings that were changed over the API are kept; nil: nowhere.
    package let keeper: SettingsKeeper?
    /// Haul's version.
    package let version: String
    private let current: CurrentRules
    private let started = ContinuousClock.now

    /// What the configuration allows, as it is now.
    package struct Rules: Sendable {
        /// The folders that downloads may go to.
        package var roots: FolderRoots
        /// Whether sources at private addresses may be added over TCP, too.
        package var privateAddresses: Bool
        /// The port that the daemon listens on, if any.
        package var port: Int?
        /// The folder of its list and its token.
        package var stateFolder: String?
        /// The settings of the configuration, without what was changed over the API.
        package var settings: ManagerSettings

        /// Makes rules.
        package init(roots: FolderRoots, privateAddresses: Bool, port: Int?, settings: ManagerSettings) {
            (self.roots, self.privateAddresses, self.port) = (roots, privateAddresses, port)
            self.settings = settings
        }
    }

    /// Makes the state of a daemon that begins now.
    package convenience init(manager: DownloadManager, keeper: SettingsKeeper?, version: String, rules: Rules) {
        self.init(manager: manager, keeper: keeper, version: version, current: CurrentRules(rules))
    }

    /// Makes the state of a daemon whose manager keeps to the same rules.
    package init(manager: DownloadManager, keeper: SettingsKeeper?, version: String, current: CurrentRules) {
        (self.manager, self.keeper, self.version, self.current) = (manager, keeper, version, current)
    }

    /// What the configuration allows, as it is now.
    package var rules: Rules { current.rules }

    /// Changes what the configuration allows.
    package func change(_ change: (inout Rules) -> Void) { current.change(change) }

    /// Whole seconds since the daemon began.
    package var uptime: Int { Int((ContinuousClock.now - started) / .seconds(1)) }

    /// What may be fetched by who asks over the Unix socket, or over TCP.
    package func sources(isLocal: Bool) -> SourceRules {
        let rules = rules
        return SourceRules(
            ownPort: rules.port, allowsPrivateAddresses: isLocal || rules.privateAddresses)
    }

    /// The spec that a request asks for, inside the roots and from allowed sources; its folder is created if it is missing.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`, or `fileFailed` or `noSpace` if the folder can't be created.
    package func spec(_ request: DownloadRequest, isLocal: Bool) throws(DownloadError) -> DownloadSpec {
        var spec = try request.spec(to: try rules.roots.destination(of: request))
        try sources(isLocal: isLocal).apply(to: &spec)
        // The links of the path were resolved: one that takes the place of a folder meanwhile is refused.
        try FolderMaker().prepare(for: spec, below: "/")
        return spec
    }
}
