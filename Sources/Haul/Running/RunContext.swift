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
