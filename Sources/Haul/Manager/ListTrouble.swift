package import HaulCore
import Synchronization

/// Keeps whether the list of downloads can be written, and counts the failures while it can't.
///
/// Readable from any thread, so that a health check never waits for a disk.
package final class ListTrouble: Sendable {
    private let current = Mutex<Spell?>(nil)

    /// A time in which the list can't be written.
    private struct Spell {
        let began: ContinuousClock.Instant
        var error: DownloadError
        var failures = 1
        var lastFailure: ContinuousClock.Instant
        var hasRecovered = false
    }

    /// What a spell came to when it ended.
    struct Summary: Hashable {
        /// The number of writes that failed.
        var failures: Int
        /// How long it took.
        var duration: Duration
    }

    /// The newest error while the list can't be written, else nil.
    package var error: DownloadError? { current.withLock { $0?.error } }

    /// Whether the last write failed.
    var isFailing: Bool { current.withLock { $0.map { !$0.hasRecovered } ?? false } }

    /// Notes a failed write.
    ///
    /// - Returns: true for the first one of a spell, which is to be logged.
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

    /// Notes a write that succeeded.
    func succeed() { current.withLock { $0?.hasRecovered = true } }

    /// Ends the spell if the last write succeeded and none has failed for a while, so that a disk that is full now and then is not
    /// reported each time.
    func end(at now: ContinuousClock.Instant, quiet: Duration) -> Summary? {
        current.withLock { current in
            guard let spell = current, spell.hasRecovered, now - spell.lastFailure >= quiet else { return nil }
            current = nil
            return Summary(failures: spell.failures, duration: now - spell.began)
        }
    }
}
