/// Takes the secrets out of URLs that people and logs get to see.
package enum URLRedaction {
    /// A text that should have been a URL, without what may be a credential in it, and fit to be printed.
    ///
    /// Such a text follows no grammar, so this takes away too much rather than too little.
    static func shown(_ text: String) -> String { TerminalText.fitted(redacted(text), width: 200) }

    /// A sentence without what may be a credential in a URL that it repeats, which was taken for a file's name or a number.
    package static func inText(_ text: String) -> String {
        guard text.contains("://") else { return text }
        return text.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.contains("://") ? inWord($0.utf8) : String($0) }
            .joined(separator: " ")
    }

    /// A word, with the quotes and the like around it as they are.
    private static func inWord(_ word: Substring.UTF8View) -> String {
        let bytes = Array(word)
        let colon = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) } ?? 0
        let start = bytes[..<colon].lastIndex { !URLParts.isInScheme($0) }.map { $0 + 1 } ?? 0
        let end = bytes[colon...].lastIndex { !"\"'`,.;:!)]>".utf8.contains($0) }.map { $0 + 1 } ?? bytes.endIndex
        let parts = [bytes[..<start], bytes[start..<end], bytes[end...]].map { String(decoding: $0, as: UTF8.self) }
        return parts[0] + redacted(parts[1]) + parts[2]
    }

    private static func redacted(_ text: String) -> String {
        let bytes = Array(text.utf8)[...]
        let visible: ArraySlice<UInt8>
        if let start = authorityStart(bytes) {
            visible = bytes[..<start] + withoutUserInfo(bytes[start...])
        } else {
            let slashes = bytes.starts(with: "//".utf8) ? 2 : 0
            visible = bytes[..<slashes] + behindLastAt(bytes[slashes...])
        }
        let end = visible.firstIndex { "?#".utf8.contains($0) } ?? visible.endIndex
        var result = String(decoding: visible[..<end], as: UTF8.self)
        if end < visible.endIndex, visible[end] == UInt8(ascii: "?") {
            result += "?" + query(String(decoding: visible[(end + 1)...], as: UTF8.self))
        }
        return result
    }

    /// A query whose values, and parts without a name, are replaced by `REDACTED`.
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

    /// Where the authority begins; nil where no scheme says so, as behind a quote or a slash too few or too many.
    private static func authorityStart(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), URLParts.isScheme(bytes[..<colon]) else {
            return nil
        }
        let rest = bytes[(colon + 1)...]
        let authority = rest.dropFirst(2)
        guard rest.starts(with: "//".utf8), let first = authority.first, !"/?#".utf8.contains(first) else { return nil }
        return authority.startIndex
    }

    // A password with "/", "?" or "#" in it ends the authority early. What is left of it looks like a port that is no
    // number, and then the credentials end at the last "@" of all.
    private static func withoutUserInfo(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = bytes.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        if let colon = bytes[..<end].lastIndex(of: UInt8(ascii: ":")),
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
