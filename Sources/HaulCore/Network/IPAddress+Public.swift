extension IPAddress {
    /// Makes an address from 4 or 16 bytes; nil for any other number.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// True if the address belongs to the public Internet, not to this machine, a private network, a link or a
    /// multicast group.
    ///
    /// The ranges are those that the registries of RFC 6890 list as not globally reachable, including those for
    /// documentation and benchmarks. An IPv6 address that embeds an IPv4 address is public if that one is.
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.special4.contains { shares(bits: $0.bits, with: $0.start) } }
        if let inner { return inner.isPublic }
        return !Self.special6.contains { shares(bits: $0.bits, with: $0.start) }
    }

    /// The IPv4 address embedded in an IPv6 address: mapped and compatible (RFC 4291, section 2.5.5), translated (RFC
    /// 6052, section 2.1), 6to4 (RFC 3056, section 2).
    private var inner: IPAddress? {
        let isLow = bytes.prefix(10).allSatisfy { $0 == 0 }
        if isLow, bytes[10] == 0xFF, bytes[11] == 0xFF { return IPAddress(bytes: Array(bytes.suffix(4))) }
        // `::` and `::1` look like compatible addresses, but are not.
        if isLow, bytes[10] == 0, bytes[11] == 0, bytes[12..<15].contains(where: { $0 != 0 }) {
            return IPAddress(bytes: Array(bytes.suffix(4)))
        }
        if Self.translated.contains(where: { shares(bits: $0.bits, with: $0.start) }) {
            return IPAddress(bytes: Array(bytes.suffix(4)))
        }
        return bytes[0] == 0x20 && bytes[1] == 0x02 ? IPAddress(bytes: Array(bytes[2..<6])) : nil
    }

    private typealias Block = (start: IPAddress, bits: Int)

    private static func blocks(_ list: [(String, Int)]) -> [Block] {
        list.compactMap { text, bits in IPAddress(text).map { ($0, bits) } }
    }

    private static let translated = blocks([("64:ff9b::", 96)])

    private static let special4 = blocks([
        ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16), ("172.16.0.0", 12),
        ("192.0.0.0", 24), ("192.0.2.0", 24), ("192.168.0.0", 16), ("198.18.0.0", 15), ("198.51.100.0", 24),
        ("203.0.113.0", 24), ("224.0.0.0", 4), ("240.0.0.0", 4),
    ])

    private static let special6 = blocks([
        ("::", 128), ("::1", 128), ("64:ff9b:1::", 48), ("100::", 64), ("2001::", 23), ("2001:db8::", 32),
        ("3fff::", 20),
        ("5f00::", 16), ("fc00::", 7), ("fe80::", 10), ("fec0::", 10), ("ff00::", 8),
    ])
}

extension DownloadError {
    /// Returns the error for a source at an address that is not public, if only public ones are allowed.
    package static func privateAddress(_ address: String) -> DownloadError {
        DownloadError(.invalidRequest, privateAddressMessage(address))
    }

    /// Returns the message for an address that is not public.
    package static func privateAddressMessage(_ address: String) -> String {
        "\(TerminalText.fitted(address, width: 60)) is not a public address, and this download may use only public ones: "
            + "see the setting private-addresses"
    }
}
