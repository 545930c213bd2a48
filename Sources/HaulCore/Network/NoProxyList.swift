/// The hosts that are reached without a proxy: the value of `no_proxy` (curl(1), ENVIRONMENT).
///
/// Entries are separated by commas or blanks: `*` for all hosts, a name for itself and its subdomains, an address, or a
/// network such as `10.0.0.0/8`. A dot before or after a name is ignored. A colon and a port limit an entry to that
/// port.
package struct NoProxyList: Sendable, Hashable {
    private enum Host: Hashable {
        case all
        case name(String)
        case network(IPAddress, bits: Int)
    }

    private struct Entry: Hashable {
        var host: Host
        var port: Int?
    }

    private let entries: [Entry]

    /// Parses a list; invalid entries are ignored.
    package init(_ text: String) {
        entries = text.utf8.split { $0 == UInt8(ascii: ",") || $0.isOptionalSpace || $0 == 10 || $0 == 13 }
            .compactMap { Self.entry(Array($0)[...]) }
    }

    /// Returns true if the host is reached directly.
    ///
    /// The host is in lower case, an IPv6 address in brackets.
    package func covers(host: String, port: Int) -> Bool {
        guard !entries.isEmpty else { return false }
        let address = IPAddress(host)
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            switch entry.host {
            case .all: return true
            case .network(let network, let bits): return address?.shares(bits: bits, with: network) ?? false
            case .name(let suffix): return address == nil && (name == suffix || name.hasSuffix("." + suffix))
            }
        }
    }

    private static func entry(_ text: ArraySlice<UInt8>) -> Entry? {
        if text == [UInt8(ascii: "*")] { return Entry(host: .all) }
        if let host = network(text) { return Entry(host: host) }
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return name(text).map { Entry(host: $0) } }
        let digits = text[(colon + 1)...]
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        let host = text[..<colon]
        if host == [UInt8(ascii: "*")] { return Entry(host: .all, port: Int(port)) }
        return (network(host) ?? name(host)).map { Entry(host: $0, port: Int(port)) }
    }

    private static func network(_ text: ArraySlice<UInt8>) -> Host? {
        let slash = text.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        guard let address = IPAddress(String(decoding: text[..<slash], as: UTF8.self)) else { return nil }
        guard slash < text.endIndex else { return .network(address, bits: address.bytes.count * 8) }
        let digits = text[(slash + 1)...]
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit),
            let bits = UInt8(String(decoding: digits, as: UTF8.self)), Int(bits) <= address.bytes.count * 8
        else { return nil }
        return .network(address, bits: Int(bits))
    }

    private static func name(_ text: ArraySlice<UInt8>) -> Host? {
        let dot = UInt8(ascii: ".")
        let name = text.last == dot ? text.dropLast() : text
        let bare = name.first == dot ? name.dropFirst() : name
        let isName = bare.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/[]:*@".utf8.contains($0) }
        return bare.isEmpty || !isName ? nil : .name(bare.asciiLowercasedText)
    }
}
