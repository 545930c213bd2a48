package import HaulCore
import Synchronization

/// The times at which a list that could not be synced is rewritten.
///
/// Seldom: on a disk without space, each attempt may be what makes the file system read-only.
struct RewriteSchedule {
    private var due: ContinuousClock.Instant?
    private var delay = Duration.seconds(10)

    /// Returns true if the list is to be rewritten now; the first time 10 s after the first call.
    mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        guard let due, now >= due else {
            self.due = due ?? now + delay
            return false
        }
        delay = min(delay * 2, .seconds(60))
        self.due = now + delay
        return true
    }
}

/// The write failures of the list of downloads, and the accesses that its disk has not completed.
///
/// Readable from any thread, so that a health check never waits for a disk.
package final class ListTrouble: Sendable {
    /// An access of the list; those of one kind are carried out one after the other.
    enum Access: Hashable {
        case change, sync
    }

    /// The time after which a disk that has not completed an access counts as not responding.
    static let patience = Duration.seconds(10)

    private let current = Mutex<Spell?>(nil)
    /// The times at which the accesses began that have not ended, in order.
    private let accesses = Mutex<[Access: [ContinuousClock.Instant]]>([:])

    /// A period in which the list can't be written.
    private struct Spell {
        let began: ContinuousClock.Instant
        var error: DownloadError
        var failures = 1
        var lastFailure: ContinuousClock.Instant
        var hasRecovered = false
    }

    /// The summary of a period that has ended.
    struct Summary: Hashable {
        /// The number of failed writes.
        var failures: Int
        /// The length of the period.
        var duration: Duration
    }

    /// The newest error while the list can't be written, else nil.
    package var error: DownloadError? { current.withLock { $0?.error } }

    /// True if the last write failed.
    var isFailing: Bool { current.withLock { $0.map { !$0.hasRecovered } ?? false } }

    /// Records that an access begins.
    func begin(_ access: Access, at now: ContinuousClock.Instant) {
        accesses.withLock { $0[access, default: []].append(now) }
    }

    /// Records that the first access of a kind is over.
    func end(_ access: Access) { accesses.withLock { _ = $0[access]?.removeFirst() } }

    /// Returns the newest error while the list can't be written, or while its disk does not respond, else nil.
    package func error(at now: ContinuousClock.Instant) -> DownloadError? {
        if let error { return error }
        guard let since = accesses.withLock({ $0.values.compactMap(\.first).min() }), now - since >= Self.patience
        else { return nil }
        let seconds = (now - since).components.seconds
        return DownloadError(
            .catalogueFailed, "the disk with the list of downloads has not responded for \(seconds) s")
    }

    /// Records a failed write.
    ///
    /// - Returns: True for the first failure of a period, which should be logged.
    func fail(_ error: DownloadError, at now: ContinuousClock.Instant) -> Bool {
        current.withLock { current in
            guard var spell = current else {
                current = Spell(began: now, error: error, lastFailure: now)
                return true
            }
            (spell.error, spell.lastFailure, spell.hasRecovered) = (error, now, false)
            spell.failures += 1
            current = spell
            return false
        }
    }

    /// Records a successful write.
    func succeed() { current.withLock { $0?.hasRecovered = true } }

    /// Ends the period if the last write succeeded and none has failed for `quiet`.
    ///
    /// The delay keeps a disk that is full now and then from being reported each time.
    func end(at now: ContinuousClock.Instant, quiet: Duration) -> Summary? {
        current.withLock { current in
            guard let spell = current, spell.hasRecovered, now - spell.lastFailure >= quiet else { return nil }
            current = nil
            return Summary(failures: spell.failures, duration: now - spell.began)
        }
    }
}
