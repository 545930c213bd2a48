package import Haul
import HaulCore
import HaulWire
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The state that the routes share.
package final class DaemonState: Sendable {
    /// The list of downloads.
    package let manager: DownloadManager
    /// The store for settings changed over the API; nil if they are not stored.
    package let keeper: SettingsKeeper?
    /// Haul's version.
    package let version: String
    /// The sender of the webhook, for its counters; nil if there is none.
    package let webhook: WebhookSender?
    /// The time when the daemon started.
    package let startTime = Date()
    let rootWatch = RootWatch()
    /// Changes of settings, which read them first, come one after another.
    let settingsTurn = AsyncSemaphore(1)
    private let current: CurrentRules
    private let started = ContinuousClock.now

    /// The rules of the configuration.
    package struct Rules: Sendable {
        /// The folders that downloads may be saved in.
        package var roots: FolderRoots
        /// True if sources at private addresses may also be added over TCP, and used by downloads that were.
        package var privateAddresses: Bool
        /// The port that the daemon listens on, if any.
        package var port: Int?
        /// The folder of its list and its token.
        package var stateFolder: String?
        /// The number of ended downloads that stay in the list.
        package var keepsHistory: Int?
        /// The settings of the configuration, without changes made over the API.
        package var settings: ManagerSettings

        /// Makes rules.
        package init(roots: FolderRoots, privateAddresses: Bool, port: Int?, settings: ManagerSettings) {
            (self.roots, self.privateAddresses, self.port) = (roots, privateAddresses, port)
            self.settings = settings
        }
    }

    /// Makes the state of a daemon that starts now.
    package convenience init(manager: DownloadManager, keeper: SettingsKeeper?, version: String, rules: Rules) {
        self.init(manager: manager, keeper: keeper, version: version, current: CurrentRules(rules))
    }

    /// Makes the state of a daemon whose manager uses the same rules.
    package init(
        manager: DownloadManager, keeper: SettingsKeeper?, version: String, current: CurrentRules,
        webhook: WebhookSender? = nil
    ) {
        (self.manager, self.keeper, self.version, self.current) = (manager, keeper, version, current)
        self.webhook = webhook
    }

    /// The current rules of the configuration.
    package var rules: Rules { current.rules }

    /// Changes the rules of the configuration.
    package func change(_ change: (inout Rules) -> Void) { current.change(change) }

    /// The number of whole seconds since the daemon started.
    package var uptime: Int { Int((ContinuousClock.now - started) / .seconds(1)) }

    /// Returns the rules for sources: more is allowed over the Unix socket than over TCP.
    package func sources(isLocal: Bool) -> SourceRules {
        let rules = rules
        return SourceRules(
            ownPort: rules.port, allowsPrivateAddresses: isLocal || rules.privateAddresses, isLocal: isLocal)
    }

    /// Returns the specs for requests, inside the roots and from allowed sources; creates their folders if they are missing.
    ///
    /// On threads of the folder's disk, which may not respond. An error has the code `invalidRequest`, or `fileFailed` or
    /// `noSpace` if the folder can't be created.
    func specs(
        _ requests: [DownloadRequest], isLocal: Bool, caller: Caller
    ) async -> [Result<DownloadSpec, DownloadError>] {
        let roots = rules.roots
        var specs: [Result<DownloadSpec, DownloadError>] = []
        var rest = requests[...]
        while let first = rest.first {
            let folder = roots.named(first.folder)
            let group = rest.prefix { roots.named($0.folder) == folder }
            rest = rest.dropFirst(group.count)
            specs += await FolderThreads.shared.run(at: folder) { [self] in
                group.map { request in
                    Result { () throws(DownloadError) in try spec(request, isLocal: isLocal, caller: caller) }
                }
            }
        }
        return specs
    }

    private func spec(
        _ request: DownloadRequest, isLocal: Bool, caller: Caller
    ) throws(DownloadError) -> DownloadSpec {
        var spec = try request.spec(to: try rules.roots.destination(of: request))
        spec.addedBy = caller.name
        try sources(isLocal: isLocal).apply(to: &spec)
        // The links of the path were resolved, so a link that replaces a folder meanwhile is rejected.
        try FolderMaker().prepare(for: spec, below: "/")
        return spec
    }
}

/// The current rules of the configuration: one value for the routes and for the manager.
package final class CurrentRules: Sendable {
    private let current: Mutex<DaemonState.Rules>

    /// Makes the rules at start.
    package init(_ rules: DaemonState.Rules) { current = Mutex(rules) }

    /// The rules.
    package var rules: DaemonState.Rules { current.withLock { $0 } }

    /// Changes the rules.
    package func change(_ change: (inout DaemonState.Rules) -> Void) { current.withLock { change(&$0) } }

    /// The rule that restricts a manager to the roots, including for downloads that were added under other roots.
    package var folderRule: FolderRule {
        FolderRule { [self] folder in
            let roots = rules.roots
            return roots.admits(folder) ? nil : roots.outside(folder)
        }
    }

    /// The rule that applies the present setting to a manager's downloads that were added over TCP.
    package var addressRule: AddressRule { AddressRule { [self] in rules.privateAddresses } }
}
