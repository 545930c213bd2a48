import HaulCore

/// Properties of settings for proxies and credentials.
enum NetworkChecks {
    /// Checks `.netrc`: credentials can be sent, and belong to the requested host.
    static func netrc(_ bytes: [UInt8]) throws(FuzzFinding) {
        let netrc = Netrc(parsing: bytes)
        for host in ["example.org", "[::1]", "", "a"] {
            for user in [nil, "user"] {
                let own = netrc.credentials(for: host, user: user, allowsDefault: false)
                let any = netrc.credentials(for: host, user: user, allowsDefault: true)
                for credentials in [own, any].compactMap(\.self) {
                    try claim(credentials.isSendable, "credentials can be sent: \(credentials)")
                    try claim(
                        user == nil || credentials.user == user, "a user name that is known stays: \(credentials)")
                }
            }
        }
    }

    /// Checks `no_proxy`: covered hosts stay covered in a longer list, and the order of entries does not matter.
    static func noProxy(_ text: String) throws(FuzzFinding) {
        let list = NoProxyList(text)
        let more = NoProxyList("example.net," + text + ",example.net")
        for host in ["example.org", "www.example.org", "[::1]", "10.1.2.3", "localhost."] {
            for port in [80, 443, 65_535] where list.covers(host: host, port: port) {
                try claim(more.covers(host: host, port: port), "\(host):\(port) is covered by \"\(text)\" and more")
            }
        }
        try claim(more.covers(host: "example.net", port: 80), "a name is covered behind anything: \"\(text)\"")
    }

    /// Checks a proxy: the printed form can be read back, without the credentials.
    static func proxy(_ text: String) throws(FuzzFinding) {
        let proxy: ProxyURL
        do throws(DownloadError) {
            proxy = try ProxyURL(parsing: text)
        } catch {
            try claim(error.code == .invalidRequest, "a proxy is refused as a request: \(error)")
            return try claimSameBytes(TerminalText.printable(error.message), error.message, "a message can be printed")
        }
        try claim(!proxy.host.isEmpty && (1...65_535).contains(proxy.port), "a proxy has a host and a port: \(proxy)")
        guard let again = try? ProxyURL(parsing: proxy.description) else { throw FuzzFinding("\(proxy) is refused") }
        try claim(again.credentials == nil, "credentials are not printed: \(proxy)")
        let isSame = again.scheme == proxy.scheme && again.host == proxy.host && again.port == proxy.port
        try claim(isSame, "what is printed is read back: \(proxy) as \(again)")
    }

    /// Checks a certificate: one that is truncated before its subject is never reported as self-issued.
    static func certificate(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard CertificateFacts.isSelfIssued(bytes) else { return }
        try claim(!CertificateFacts.isSelfIssued(Array(bytes.prefix(8))), "so few bytes hold no two names")
    }

    /// Checks an address: it shares all bits with itself, and the right number of bits with others.
    static func address(_ text: String) throws(FuzzFinding) {
        guard let address = IPAddress(text) else { return }
        try claim([4, 16].contains(address.bytes.count), "an address has 4 or 16 bytes: \(address)")
        for bits in -1...(address.bytes.count * 8 + 1) {
            let isLength = (0...address.bytes.count * 8).contains(bits)
            try claim(
                address.shares(bits: bits, with: address) == isLength, "an address is in its own network: \(bits)")
        }
    }
}
