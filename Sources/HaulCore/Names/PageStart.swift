/// The first bytes of web pages.
package enum PageStart {
    /// The number of bytes that are enough.
    package static let size = 512

    /// The first tags of pages, in lower case (MIME Sniffing Standard, section 7.1, without those that other formats have).
    private static let tags = ["<!doctype html", "<html", "<head", "<body", "<script", "<title", "<style", "<iframe"]

    /// Returns true if a file begins like a web page: with one of the tags, after white space.
    package static func isFound(in bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.prefix(size), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let start = text.prefix(16).lowercased()
        return tags.contains { tag in
            guard start.hasPrefix(tag) else { return false }
            return start.dropFirst(tag.count).first.map { $0.isWhitespace || $0 == ">" } ?? false
        }
    }
}
