import HaulCore
import HaulFiles
import HaulTransport
import Logging

/// What a run takes from its engine.
struct RunContext: Sendable {
    let transport: any Transport
    let system: SystemCalls
    /// The limit over all downloads of the engine.
    let limiter: RateLimiter
    let progressInterval: Duration
    let firstRetryDelay: Duration
    let proxies: ProxySettings
    let localAddress: String?
    let accessFiles = AccessFiles()
    let logger: Logger
    let ticker = Ticker()
    let nameCache: DirectoryNameCache
    /// What the hosts grant to all downloads of the engine.
    let hosts = HostTable()
}

/// A run's place among the downloads that run at once.
///
/// A run that waits for its next attempt needs none: it gives its slot to the next download, and asks for one when the time has come.
/// All methods are called by one run, one at a time, and never wait.
package protocol RunSlot: Sendable {
    /// Gives the slot away until `reclaim` succeeds.
    ///
    /// - Returns: false if it has to be kept.
    func park() -> Bool

    /// Asks for a slot; it is asked again until there is one.
    ///
    /// - Returns: whether the run has a slot now.
    func reclaim() -> Bool
}

/// The receiving end of one fetch, as its run sees it.
protocol FetchSink: TransferSink {
    /// Where the fetch is now.
    var sample: FetchSample { get }
    /// Where its segment stands.
    var cursor: SegmentCursor { get }
}
