import HaulCore
import HaulEngine
import HaulLibC
import HaulManager

/// The number of downloads that may run at once while file descriptors are scarce: lowered at once, raised slowly.
struct CrowdLimit: Hashable {
    /// The time without a shortage of descriptors after which one more download may run.
    static let calm = Duration.seconds(5)

    /// The limit; nil if there is none at present.
    private(set) var limit: Int?
    private var changed: ContinuousClock.Instant?

    /// Lowers the limit, after a download ended because there was no file descriptor left.
    ///
    /// - Parameter running: The number of downloads that are still running.
    mutating func lower(running: Int, at now: ContinuousClock.Instant) {
        limit = max(1, min(limit ?? .max, running))
        changed = now
    }

    /// Lets one more download run if there has been no shortage for long enough.
    ///
    /// - Parameter wanted: The number that the settings allow; nil: any.
    /// - Returns: True if the limit has changed.
    mutating func raise(wanted: Int?, at now: ContinuousClock.Instant) -> Bool {
        guard let old = limit, let changed, now - changed >= Self.calm else { return false }
        limit = old + 1 < wanted ?? .max ? old + 1 : nil
        self.changed = now
        return true
    }

    /// The limit for the scheduler.
    func applied(to wanted: Int?) -> Int? { limit.map { min($0, wanted ?? .max) } ?? wanted }

    /// Returns true if the limit is lower than that of the settings.
    func limits(_ wanted: Int?) -> Bool { limit.map { $0 < wanted ?? .max } ?? false }
}

/// Handling of a shortage of file descriptors.
extension LocalManager {
    /// The longest pause before a download that lacked a descriptor is tried again.
    static let maxFilePause = Duration.seconds(16)

    /// Configures the scheduler from the settings, with fewer downloads while descriptors are scarce.
    func configureScheduler() {
        var configuration = SchedulerConfiguration(settings)
        configuration.limit = crowd.applied(to: configuration.limit)
        scheduler.configure(configuration)
    }

    /// Reduces the number of downloads that may run.
    func becomeFewer() {
        crowd.lower(running: scheduler.runningCount, at: clock.now)
        configureScheduler()
    }

    /// Raises the number of downloads that may run again, after a while.
    func relieveCrowd() {
        guard crowd.raise(wanted: settings.limit, at: clock.now) else { return }
        configureScheduler()
        mailbox.post(.wake)
    }
}
