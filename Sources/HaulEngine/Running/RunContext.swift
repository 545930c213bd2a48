import HaulCore
import HaulFiles
import HaulLibC
import HaulTransport

/// The engine's resources that a run uses.
struct RunContext: Sendable {
    var transport: any Transport
    let system: SystemCalls
    /// The rate limit of all downloads of the engine.
    let limiter: RateLimiter
    let progressInterval: Duration
    let firstRetryDelay: Duration
    let proxies: ProxySettings
    let localAddress: String?
    let accessFiles = AccessFiles()
    let clock: TimeSource
    let ticker: Ticker
    var nameCache: DirectoryNameCache
    /// The connection limits of the hosts, shared by all downloads of the engine.
    var hosts: HostTable
}

/// A run's slot among the downloads that run at once.
///
/// A run that waits for its next attempt needs none: it gives its slot to the next download, and requests one when the
/// wait is over. All methods are called by one run, never at the same time, and do not block.
package protocol RunSlot: Sendable {
    /// Gives up the slot until `reclaim` succeeds.
    ///
    /// - Returns: False if the slot must be kept.
    func park() -> Bool

    /// Requests a slot; called repeatedly until there is one.
    ///
    /// - Returns: True if the run has a slot now.
    func reclaim() -> Bool

    /// Requests a slot like `reclaim()`; if there is one only later, calls a function then, on any thread.
    func reclaim(onGrant: @escaping @Sendable () -> Void) -> Bool
}

extension RunSlot {
    /// Requests a slot; the function is not called, so the caller has to ask again.
    package func reclaim(onGrant: @escaping @Sendable () -> Void) -> Bool { reclaim() }
}

/// The sink of a fetch, as seen by its run.
protocol FetchSink: TransferSink {
    /// The present state of the fetch.
    var sample: FetchSample { get }
    /// The cursor of its segment.
    var cursor: SegmentCursor { get }
}
