public import HaulCore
package import HaulEngine
package import HaulLibC
public import HaulManager
public import Logging

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The configuration of a manager.
public struct ManagerConfiguration: Sendable {
    /// The storage of the list of downloads.
    public var storage: Storage
    /// The folder for downloads that are added by their URL alone; nil: none.
    ///
    /// It is created, together with those above it, when the list is opened and whenever such a download is added.
    public var folder: String?
    /// A name for people, in logs and in views of several managers.
    public var name: String = "default"
    /// The settings that can be changed later.
    public var settings = ManagerSettings()
    /// The named bases: folders that paths in the list are relative to.
    ///
    /// By default, on Apple's systems, `.documents`, `.caches` and `.applicationSupport`; elsewhere none. A base that is
    /// missing at a later launch changes nothing: its paths stay as they were last.
    public var bases: [NamedBase] = NamedBase.usual
    /// True if downloads that were queued or running when the last process ended are resumed.
    ///
    /// Otherwise they are paused with the reason `relaunch`.
    public var resumesAtLaunch: Bool = true
    /// A PEM file of certificates that are trusted instead of the system's.
    public var caCertificatePath: String?
    /// The proxies to use; none by default, whatever the environment says.
    public var proxies = ProxySettings()
    /// The local address or the network interface to connect from; nil: the system chooses.
    public var localAddress: String?
    /// Receives notifications for the user; nil: none are sent.
    public var notifier: (any DownloadNotifier)?
    /// The logger.
    public var logger = Logger(label: "haul", factory: { _ in SwiftLogNoOpLogHandler() })
    /// The environment variables that all hooks get, besides those of the event.
    package var hookVariables: [String: String] = [:]
    /// Receives the same events as hook commands; nil: no listener.
    package var listener: HookListener?
    /// The clocks to go by.
    package var clock = TimeSource.system
    /// The folders that may be written to, checked before each run and each removal of files; nil: all.
    package var folderRule: FolderRule?
    /// The rule for downloads that are limited to public addresses; nil: they stay limited.
    package var addressRule: AddressRule?
    /// The mean of the first delay after a failure.
    package var firstRetryDelay: Duration = .milliseconds(500)
    /// True if a download waits until the disk has room for it; otherwise it fails.
    package var waitsForSpace = true
    /// True if a download waits while there is no network; otherwise it fails.
    package var waitsForNetwork = true
    /// Finds out whether there is a network.
    package var network = NetworkProbe.system
    /// True if a server that was never reached is retried as often as after any other failure; otherwise once.
    package var retriesUnreachable = true
    /// The interval for checking the disk while a download waits for space.
    package var spaceInterval: Duration = .seconds(2)
    /// The time that hook commands have when the manager is closed.
    package var hookGrace: Duration = .seconds(2)
    /// The interval for retrying what the catalogue could not record.
    package var recordInterval: Duration = .seconds(1)
    /// Returns the folder that relative paths are resolved against.
    package var workingFolder: @Sendable () -> String? = { WorkingFolder.path }

    /// Creates a configuration with the documented defaults.
    public init(storage: Storage) { self.storage = storage }

    /// The storage of a list of downloads.
    public enum Storage: Hashable, Sendable {
        /// In memory: the list ends with the manager.
        case inMemory
        /// In this SQLite file, created if it does not exist; its folder must exist.
        ///
        /// It holds URLs and paths, and only the user can read it. Credentials are never stored. Only one manager at a
        /// time can open it.
        case file(path: String)

        /// Returns the storage in the SQLite file of a file URL; see `file(path:)`.
        ///
        /// - Throws: `DownloadError` with code `invalidRequest` if it is not a file URL.
        public static func file(_ url: URL) throws(DownloadError) -> Storage { .file(path: try url.localPath) }
    }
}

extension ManagerConfiguration {
    /// The default folder as an absolute path.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if it is relative, and the working folder no longer exists.
    var absoluteFolder: String? {
        get throws(DownloadError) {
            guard let folder else { return nil }
            let spec = DownloadSpec(url: "", destination: .folder(path: folder))
            guard case .folder(let path) = try spec.absolute(in: workingFolder()).destination else { return folder }
            return path
        }
    }

    /// The engine's part of the configuration.
    var engineConfiguration: EngineConfiguration {
        var result = EngineConfiguration()
        result.caCertificatePath = caCertificatePath
        result.proxies = proxies
        result.localAddress = localAddress
        result.rateLimit = settings.rateLimit
        result.rateSchedule = settings.rateSchedule
        result.firstRetryDelay = firstRetryDelay
        result.clock = clock
        result.separatesDisks = true
        result.logger = logger
        return result
    }
}

extension DownloadEngine {
    /// Sets the common rate limit, or the one by time of day.
    func setRate(_ settings: ManagerSettings) throws(DownloadError) {
        if let schedule = settings.rateSchedule {
            try setRateSchedule(schedule)
        } else {
            try setRateLimit(settings.rateLimit)
        }
    }
}
