import NIOCore

/// The destination of one of Haul's own connections.
struct DirectOrigin: Hashable {
    /// True if the connection uses TLS.
    let isSecure: Bool
    /// The name or address, without brackets.
    let host: String
    let port: Int
    /// The value of the `Host` header.
    let authority: String

    /// The address to connect to, if the host is an address.
    var address: SocketAddress? { try? SocketAddress(ipAddress: host, port: port) }

    /// Creates an origin from the target of a URL.
    ///
    /// - Returns: Nil for anything unusual, which AsyncHTTPClient may handle.
    init?(_ target: RequestTarget) {
        let given = target.authority
        let isPlain = given.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "["),
                UInt8(ascii: "]"):
                true
            case _: false
            }
        }
        let bare = CertificateNames.hostWithoutPort(given)
        let isAddress = CertificateNames.address(bare) != nil
        let number = given.dropFirst(bare.count + 1)
        guard isPlain, !bare.isEmpty, isAddress || !bare.contains(":") && !bare.contains("["),
            let port = number.isEmpty ? (target.isSecure ? 443 : 80) : Int(number), 1...65535 ~= port
        else { return nil }
        isSecure = target.isSecure
        host = bare.hasPrefix("[") ? String(bare.dropFirst().dropLast()) : bare
        self.port = port
        authority = port == (isSecure ? 443 : 80) ? bare : given
    }
}
