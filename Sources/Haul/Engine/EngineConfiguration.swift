public import HaulCore
public import Logging

/// What all downloads of one engine share.
public struct EngineConfiguration: Sendable {
    /// A file of certificates in PEM form that are trusted instead of the system's.
    public var caCertificatePath: String?
    /// The proxies that URLs are fetched through; none unless told otherwise, whatever the environment says.
    ///
    /// `ProxySettings(environment:)` makes them of the usual variables.
    public var proxies = ProxySettings()
    /// The address, or the name of the network interface, that connections are made from; nil: the system chooses.
    ///
    /// `0.0.0.0` is any address of IPv4, and so IPv4 alone, `::` the same for IPv6.
    public var localAddress: String?
    /// Bytes per second over all downloads, or nil: no limit.
    public var rateLimit: Int64?
    /// Limits by the time of day, instead of `rateLimit`; nil: none.
    public var rateSchedule: RateSchedule?
    /// How often progress is told.
    public var progressInterval: Duration = .milliseconds(100)
    /// The mean of the first wait after a failure.
    package var firstRetryDelay: Duration = .milliseconds(500)
    /// Where it logs.
    public var logger = Logger(label: "haul", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Makes the documented defaults.
    public init() {}
}
