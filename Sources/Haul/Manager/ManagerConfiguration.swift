public import HaulCore
public import Logging

/// What a manager is made with.
public struct ManagerConfiguration: Sendable {
    /// Where the list of downloads is kept.
    public var storage: Storage
    /// A name for people, in logs and in views of several managers.
    public var name: String = "default"
    /// What can be changed later, too.
    public var settings = ManagerSettings()
    /// Whether downloads that were waiting or at work when the last process ended go on by themselves.
    ///
    /// If not, they are paused with the reason `relaunch`.
    public var resumesAtLaunch: Bool = true
    /// A file of certificates in PEM form that are trusted instead of the system's.
    public var caCertificatePath: String?
    /// The proxies that URLs are fetched through; none unless told otherwise, whatever the environment says.
    public var proxies = ProxySettings()
    /// The address, or the name of the network interface, that connections are made from; nil: the system chooses.
    public var localAddress: String?
    /// Tells the person; nil: nobody is told.
    public var notifier: (any DownloadNotifier)?
    /// Where it logs.
    public var logger = Logger(label: "haul", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Hears of what hook commands are run on; nil: nobody does.
    package var listener: HookListener?
    /// The folders that may be written to, asked before each run and each removal of files; nil: all.
    package var folderRule: FolderRule?
    /// The mean of the first wait after a failure.
    package var firstRetryDelay: Duration = .milliseconds(500)
    /// True if a download waits until the disk has room for it; otherwise it fails.
    package var waitsForSpace = true
    /// How often the disk is looked at while a download waits for room.
    package var spaceInterval: Duration = .seconds(2)
    /// How long hook commands may still take when the manager is closed.
    package var hookGrace: Duration = .seconds(2)
    /// How often the catalogue is asked again for what it could not record.
    package var recordInterval: Duration = .seconds(1)

    /// Makes a configuration with the documented defaults.
    public init(storage: Storage) { self.storage = storage }

    /// Where a list of downloads is kept.
    public enum Storage: Hashable, Sendable {
        /// In memory: it ends with the manager.
        case inMemory
        /// In this SQLite file, made if it is not there; its folder has to be.
        ///
        /// It holds URLs and paths, and is readable for the user alone. Credentials are never stored. One manager at a time owns it.
        case file(path: String)
    }
}

extension ManagerConfiguration {
    /// What of it is the engine's.
    var engineConfiguration: EngineConfiguration {
        var result = EngineConfiguration()
        result.caCertificatePath = caCertificatePath
        result.proxies = proxies
        result.localAddress = localAddress
        result.rateLimit = settings.rateLimit
        result.rateSchedule = settings.rateSchedule
        result.firstRetryDelay = firstRetryDelay
        result.logger = logger
        return result
    }
}

/// What of a manager can be changed while it works: see `DownloadManager.update(_:)`.
public struct ManagerSettings: Hashable, Sendable {
    /// How many downloads may be at work at once; nil: as many as there are; 0: none begins, except those that are to start at once.
    public var limit: Int? = 3
    /// Which of those that wait with the same priority comes first.
    public var order: QueueOrder = .fifo
    /// How many downloads of one host may be at work at once; nil: no limit but the common one.
    public var hostLimit: Int?
    /// Bytes per second over all downloads; nil: no limit.
    public var rateLimit: Int64?
    /// Limits by the time of day, instead of `rateLimit`; nil: none.
    public var rateSchedule: RateSchedule?
    /// The minimum time between two progress events of one download, at least 100 ms.
    public var progressInterval: Duration = .milliseconds(100)
    /// How many state events are kept for subscribers that come back.
    public var eventsKept: Int = 1_000_000
    /// Commands that are run when something happens.
    public var hooks: [HookCommand] = []

    /// Makes the documented defaults.
    public init() {}
}

extension DownloadEngine {
    /// Sets the common limit, or the one by the time of day.
    func setRate(_ settings: ManagerSettings) {
        if let schedule = settings.rateSchedule { setRateSchedule(schedule) } else { setRateLimit(settings.rateLimit) }
    }
}
