extension SourceURL {
    /// The canonical URL without credentials: what is sent, and what identifies it.
    package var string: String {
        var text = ""
        // The longest scheme and port are shorter.
        text.reserveCapacity(origin.host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 16)
        origin.write(to: &text)
        text += path
        if let query {
            text += "?"
            text += query
        }
        return text
    }

    /// The URL for logs and messages: without credentials, and with `REDACTED` for each value in its query.
    package var redacted: String { origin.description + path + (query.map { "?" + URLRedaction.query($0) } ?? "") }

    /// The host in lower case; an IPv6 address stands in its brackets.
    package var host: String { origin.host }

    /// Whether it is fetched over TLS or SSH.
    package var isSecure: Bool { origin.scheme != "http" && origin.scheme != "ftp" }

    /// Whether it is fetched by HTTP, where headers say who asks.
    package var isWeb: Bool { URLOrigin.isWeb(origin.scheme) }

    /// What stands behind the last slash of the path, decoded; nil where that is empty.
    ///
    /// Bytes that are not UTF-8 are Windows-1252.
    ///
    /// It may hold anything that can be encoded, slashes included: only `FileName` makes a name of it.
    package var lastPathComponent: String? {
        let encoded = path.utf8.suffix(from: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex).dropFirst()
        guard !encoded.isEmpty else { return nil }
        guard encoded.contains(UInt8(ascii: "%")) else { return String(Substring(encoded)) }
        guard let bytes = PercentCoding.decode(encoded) else { return nil }
        return Windows1252.text(bytes)
    }
}

extension SourceURL: CustomStringConvertible, CustomDebugStringConvertible {
    /// The same as `redacted`, so that printing one is never a leak.
    package var description: String { redacted }
    package var debugDescription: String { redacted }
}
