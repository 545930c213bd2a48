import HaulTransport

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
