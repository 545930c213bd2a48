import HaulCore

/// The number of downloads that may run at once after some found no file descriptor: lowered at once, raised slowly.
struct CrowdLimit: Hashable {
    /// How long no download may have lacked a descriptor before one more may run.
    static let calm = Duration.seconds(5)

    /// The limit while there is one.
    private(set) var limit: Int?
    private var changed: ContinuousClock.Instant?

    /// A download ended for want of a descriptor.
    ///
    /// - Parameter running: The number of those that still run.
    mutating func lower(running: Int, at now: ContinuousClock.Instant) {
        limit = max(1, min(limit ?? .max, running))
        changed = now
    }

    /// Lets one more run if it has been calm for long enough.
    ///
    /// - Parameter wanted: The number that the settings allow; nil: any.
    /// - Returns: whether the limit has changed.
    mutating func raise(wanted: Int?, at now: ContinuousClock.Instant) -> Bool {
        guard let old = limit, let changed, now - changed >= Self.calm else { return false }
        limit = old + 1 < wanted ?? .max ? old + 1 : nil
        self.changed = now
        return true
    }

    /// The limit for the scheduler.
    func applied(to wanted: Int?) -> Int? { limit.map { min($0, wanted ?? .max) } ?? wanted }

    /// Whether it allows fewer than the settings do.
    func limits(_ wanted: Int?) -> Bool { limit.map { $0 < wanted ?? .max } ?? false }
}

/// What happens while there are too few file descriptors.
extension LocalManager {
    /// The longest pause before a download that lacked a descriptor is tried again.
    static let maxFilePause = Duration.seconds(16)

    /// Has the scheduler keep to the settings, and to fewer downloads while descriptors are scarce.
    func configureScheduler() {
        var configuration = SchedulerConfiguration(settings)
        configuration.limit = crowd.applied(to: configuration.limit)
        scheduler.configure(configuration)
    }

    /// Fewer downloads run from now on.
    func becomeFewer() {
        crowd.lower(running: scheduler.runningCount, at: .now)
        configureScheduler()
    }

    /// More may run again after a while.
    func relieveCrowd() {
        guard crowd.raise(wanted: settings.limit, at: .now) else { return }
        configureScheduler()
        mailbox.post(.wake)
    }
}
