public import HaulCore
package import HaulLibC
import HaulTransport
public import Logging

/// The settings that all downloads of an engine share.
public struct EngineConfiguration: Sendable {
    /// A PEM file of certificates that are trusted instead of the system's.
    public var caCertificatePath: String?
    /// The proxies to use; none by default, whatever the environment says.
    ///
    /// `ProxySettings(environment:)` creates them from the usual variables.
    public var proxies = ProxySettings()
    /// The local address or the network interface to connect from; nil: the system chooses.
    ///
    /// `0.0.0.0` means any IPv4 address, and therefore IPv4 only; `::` is the same for IPv6.
    public var localAddress: String?
    /// The rate limit of all downloads together, in bytes per second; nil or 0: no limit.
    ///
    /// A negative one is refused with `invalidRequest`.
    public var rateLimit: Int64?
    /// Rate limits by time of day, used instead of `rateLimit`; nil: none.
    public var rateSchedule: RateSchedule?
    /// The interval between progress events.
    public var progressInterval: Duration = .milliseconds(100)
    /// The clocks to go by.
    package var clock = TimeSource.system
    /// The mean of the first delay after a failure.
    package var firstRetryDelay: Duration = .milliseconds(500)
    /// True if each host is looked up once a minute, and at most 32 at a time: for very many hosts.
    package var sharesLookups = false
    /// True if the process ends after `shutdown()`, which leaves to the system what the system does.
    package var endsWithProcess = false
    /// True if each disk has threads and connections of its own: see `DiskLanes`.
    package var separatesDisks = false
    /// The logger.
    public var logger = Logger(label: "haul", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Creates the documented defaults.
    public init() {}
}

/// The transport for a request: libcurl for what AsyncHTTPClient does not support, AsyncHTTPClient for everything else.
///
/// AsyncHTTPClient is faster over TLS and available on every platform.
enum TransportChoice: Hashable, CaseIterable {
    case http
    case curl

    /// Chooses by scheme and required features.
    ///
    /// AsyncHTTPClient supports SOCKS proxies only if they need no credentials and resolve names themselves.
    init(_ request: TransferRequest) {
        guard Self.isWeb(request.url), request.authentication == nil else {
            self = .curl
            return
        }
        guard let proxy = request.proxy else {
            self = .http
            return
        }
        switch proxy.scheme {
        case .http: self = .http
        case .socks5h: self = proxy.credentials == nil ? .http : .curl
        case .https, .socks4, .socks4a, .socks5: self = .curl
        }
    }

    /// Returns true for HTTP and HTTPS, and for a URL without a scheme, which the HTTP transport rejects.
    static func isWeb(_ url: String) -> Bool {
        if url.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "h") { return true }
        return !["ftp://", "ftpes://", "ftps://", "sftp://"].contains { url.prefix($0.count).lowercased() == $0 }
    }
}
