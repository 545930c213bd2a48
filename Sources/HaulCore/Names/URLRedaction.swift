/// Removes secrets from URLs in messages and logs.
package enum URLRedaction {
    /// Returns a text that should have been a URL, printable and without anything that may be a credential.
    ///
    /// Such a text follows no grammar, so this removes too much rather than too little.
    package static func shown(_ text: String) -> String { TerminalText.fitted(redacted(text), width: 200) }

    /// Returns an unexpected text for quoting in a message: without possible credentials in URLs, and at most `width`
    /// columns wide.
    package static func quoted(_ text: String, width: Int) -> String { TerminalText.fitted(inText(text), width: width) }

    /// Returns the name of a file as given; redacts it if it looks like a URL given by mistake.
    package static func name(_ text: String) -> String { mark(in: Array(text.utf8)[...]) == nil ? text : shown(text) }

    /// Returns a sentence without possible credentials in the URLs that it contains.
    package static func inText(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        guard mark(in: rest) != nil else { return text }
        var result = ""
        while let start = rest.firstIndex(where: { !isBlank($0) }) {
            let end = rest[start...].firstIndex(where: isBlank) ?? rest.endIndex
            result += decoded(rest[..<start]) + inWord(rest[start..<end])
            rest = rest[end...]
        }
        return result + decoded(rest)
    }

    /// Redacts the URLs in a word; quotes and punctuation around them are kept.
    private static func inWord(_ word: ArraySlice<UInt8>) -> String {
        var (result, rest) = ("", word)
        while let mark = mark(in: rest) {
            let start = schemeStart(rest[..<mark])
            let front = rest[..<start]
            result += front.contains { "?@".utf8.contains($0) } ? redacted(decoded(front)) : decoded(front)
            let (url, behind) = (rest[start..<end(ofURLIn: rest, marked: mark)], rest.endIndex)
            let last = url.lastIndex { !"\"'`,.;:!)]>".utf8.contains($0) } ?? mark
            result += redacted(decoded(url[...last])) + decoded(url[(last + 1)...])
            rest = rest[url.endIndex..<behind]
        }
        return result + decoded(rest)
    }

    /// Returns the start of the next URL in the word, or the end of the word.
    ///
    /// A URL inside a query or a password does not start a new one.
    private static func end(ofURLIn word: ArraySlice<UInt8>, marked mark: Int) -> Int {
        let behind = word[(mark + 3)...]
        guard let next = Self.mark(in: behind) else { return word.endIndex }
        let start = schemeStart(behind[..<next])
        let isOfThis = start > behind.startIndex && word[start - 1] == UInt8(ascii: ":")
        return isOfThis || behind[..<start].contains(UInt8(ascii: "?")) ? word.endIndex : start
    }

    /// Returns a URL without user and password, as it may be published; the query is kept.
    ///
    /// In a text that is not a URL, `REDACTED` replaces whatever may be one of them.
    package static func withoutUserInfo(_ url: String) -> String {
        guard url.utf8.contains(UInt8(ascii: "@")) else { return url }
        let bytes = visible(Array(url.utf8)[...])
        guard let start = authorityStart(bytes), bytes[start...].starts(with: userInfo) else { return decoded(bytes) }
        return decoded(bytes[..<start]) + decoded(bytes[start...].dropFirst(userInfo.count))
    }

    private static let userInfo = Array("REDACTED@".utf8)

    private static func mark(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == UInt8(ascii: ":") && bytes[$0...].starts(with: "://".utf8) }
    }

    private static func schemeStart(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.lastIndex { !URLParts.isInScheme($0) }.map { $0 + 1 } ?? bytes.startIndex
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func redacted(_ text: String) -> String {
        let visible = visible(Array(text.utf8)[...])
        let end = visible.firstIndex { "?#".utf8.contains($0) } ?? visible.endIndex
        var result = String(decoding: visible[..<end], as: UTF8.self)
        if end < visible.endIndex, visible[end] == UInt8(ascii: "?") {
            result += "?" + query(String(decoding: visible[(end + 1)...], as: UTF8.self))
        }
        return result
    }

    /// Returns a text that should have been a URL, with `REDACTED` in place of user and password.
    private static func visible(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if let start = authorityStart(bytes) { return bytes[..<start] + withoutUserInfo(bytes[start...]) }
        let slashes = bytes.starts(with: "//".utf8) ? 2 : 0
        return bytes[..<slashes] + behindLastAt(bytes[slashes...])
    }

    /// Returns the query with its values, and its parts without a name, replaced by `REDACTED`.
    static func query(_ query: String) -> String {
        let separators = query.utf8.filter { "&;".utf8.contains($0) }.map { String(Unicode.Scalar($0)) } + [""]
        let parts = query.utf8.split(omittingEmptySubsequences: false) { "&;".utf8.contains($0) }
        return zip(parts, separators).map { part, separator in value(part) + separator }.joined()
    }

    private static func value(_ part: Substring.UTF8View) -> String {
        guard !part.isEmpty else { return "" }
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return "REDACTED" }
        return String(decoding: part[...equals], as: UTF8.self) + (part[equals...].count > 1 ? "REDACTED" : "")
    }

    /// Returns the start of the authority, or nil if it does not follow a scheme and exactly two slashes.
    private static func authorityStart(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), URLParts.isScheme(bytes[..<colon]) else {
            return nil
        }
        let rest = bytes[(colon + 1)...]
        let authority = rest.dropFirst(2)
        guard rest.starts(with: "//".utf8), let first = authority.first, !"/?#".utf8.contains(first) else { return nil }
        return authority.startIndex
    }

    // A "/", "?" or "#" in a password ends the authority early. What is left looks like a port that is not a number;
    // the credentials then end at the last "@" of the whole text.
    private static func withoutUserInfo(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = bytes.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        var host = bytes[..<end]
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        // Skips the colons inside an IPv6 address.
        if host.first == UInt8(ascii: "["), let last = host.lastIndex(of: UInt8(ascii: "]")) { host = host[last...] }
        if let colon = host.firstIndex(of: UInt8(ascii: ":")),
            !bytes[colon..<end].dropFirst().allSatisfy(\.isASCIIDigit)
        {
            return behindLastAt(bytes)
        }
        return behindLastAt(bytes[..<end]) + bytes[end...]
    }

    private static func behindLastAt(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return bytes }
        return Array("REDACTED".utf8) + bytes[at...]
    }
}
