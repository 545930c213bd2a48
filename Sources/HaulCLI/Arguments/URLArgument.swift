import HaulCore

/// The URLs denoted by a text on the command line or in a list.
package enum URLArgument {
    /// Returns the text, with `http://` prepended if it has no scheme, as in curl and wget.
    ///
    /// The scheme is added only if the text looks like a host: it contains a dot, a port, a path or brackets, or is
    /// `localhost`. Other texts, such as `list` or `./file`, are returned unchanged.
    package static func completed(_ text: String) -> String {
        let trimmed = text.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let authority = trimmed.prefix { !"/?#".utf8.contains($0) }
        return isHost(authority, hasPath: trimmed.dropFirst(authority.count).first == UInt8(ascii: "/"))
            ? "http://" + String(decoding: trimmed, as: UTF8.self) : text
    }

    /// Returns true if a text can only be meant as a download: a URL with a scheme, or a host that `completed`
    /// completes.
    package static func looksLikeDownload(_ text: String) -> Bool {
        guard !text.hasPrefix("-") else { return false }
        if let separator = text.firstIndex(ofBytes: "://") {
            let scheme = text[..<separator].utf8
            return scheme.first.map(isLetter) == true
                && scheme.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
        }
        return completed(text) != text
    }

    /// Returns true if a text is the name of a Metalink file, not the URL of one.
    static func looksLikeMetalink(_ text: String) -> Bool {
        let name = text.lowercased()
        return (name.hasSuffix(".meta4") || name.hasSuffix(".metalink")) && !text.contains(bytes: "://")
    }

    /// Returns the URLs denoted by the texts: patterns are expanded unless `isLiteral`, and schemes completed.
    ///
    /// - Throws: `URLPattern.Fault` for an invalid pattern.
    package static func expanded(_ texts: [String], isLiteral: Bool) throws(URLPattern.Fault) -> [String] {
        var urls: [String] = []
        for text in texts {
            if isLiteral {
                urls.append(completed(text))
            } else {
                for url in try URLPattern.expand(text) { urls.append(completed(url)) }
            }
        }
        return urls
    }

    private static func isHost(_ text: Substring.UTF8View, hasPath: Bool) -> Bool {
        let host = text.suffix(
            from: text.lastIndex(of: UInt8(ascii: "@")).map { text.index(after: $0) } ?? text.startIndex)
        // A colon before the "@" means `mailto:me@host` or a password, not a host.
        guard !text[..<host.startIndex].contains(UInt8(ascii: ":")) else { return false }
        guard let first = host.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        if first == UInt8(ascii: "["), let end = host.lastIndex(of: UInt8(ascii: "]")) {
            return host[..<end].contains(UInt8(ascii: ":")) && isPort(host[host.index(after: end)...])
        }
        guard let colon = host.firstIndex(of: UInt8(ascii: ":")) else {
            let isLocal = String(decoding: host, as: UTF8.self).lowercased() == "localhost"
            return hasPath || isLocal || host.contains(UInt8(ascii: ".")) && !host.contains(UInt8(ascii: " "))
        }
        return colon > host.startIndex && host.index(after: colon) < host.endIndex && isPort(host[colon...])
    }

    private static func isPort(_ text: Substring.UTF8View) -> Bool {
        text.isEmpty || text.first == UInt8(ascii: ":") && text.dropFirst().allSatisfy(isDigit)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
