public import HaulCore
import HaulTransport
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

/// Which transport a request goes to: libcurl for what AsyncHTTPClient can't do, AsyncHTTPClient for all else, as it is faster
/// over TLS and there on every platform.
enum TransportChoice: Hashable, CaseIterable {
    case http
    case curl

    /// Decides by scheme and need.
    ///
    /// A SOCKS proxy that wants no credentials and looks names up itself is all that AsyncHTTPClient knows of SOCKS.
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

    /// Whether HTTP is spoken; what has no scheme is refused by the HTTP transport.
    static func isWeb(_ url: String) -> Bool {
        if url.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "h") { return true }
        return !["ftp://", "ftpes://", "ftps://", "sftp://"].contains { url.prefix($0.count).lowercased() == $0 }
    }
}
