import HaulCore

/// Refuses what cannot be a Metalink document before it is read as XML.
enum MetalinkGuard {
    static func refusal(_ reason: String) -> DownloadError {
        DownloadError(.invalidRequest, "not a valid Metalink: \(reason)")
    }

    static func check(_ bytes: [UInt8]) throws(DownloadError) {
        guard bytes.count <= Metalink.maxBytes else {
            throw refusal("it has \(bytes.count) bytes, more than \(Metalink.maxBytes)")
        }
        let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard body.first(where: { !isBlank($0) }) == UInt8(ascii: "<") else { throw refusal("it is not XML") }
        guard !isHTML(body) else {
            throw refusal("it is a web page (HTML): use the Metalink file itself, which often ends in .meta4")
        }
        guard !body.contains(0), String(validating: body, as: UTF8.self) != nil, declaresUTF8(body) else {
            throw refusal("it is not in UTF-8")
        }
    }

    /// Returns true if it begins as web pages do.
    private static func isHTML(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = String(decoding: bytes.prefix(256), as: UTF8.self).lowercased().filter { !$0.isWhitespace }
        return start.hasPrefix("<!doctypehtml") || start.hasPrefix("<html>") || start.hasPrefix("<htmllang")
    }

    /// XML 1.0, section 4.3.3: without a declaration, the encoding is UTF-8.
    private static func declaresUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.starts(with: "<?xml".utf8) else { return true }
        let head = bytes.prefix(1024).prefix { $0 != UInt8(ascii: ">") }
        let text = String(decoding: head, as: UTF8.self).lowercased().filter { !$0.isWhitespace }
        guard text.contains("encoding") else { return true }
        return ["utf-8", "us-ascii"].contains {
            text.contains("encoding=\"\($0)\"") || text.contains("encoding='\($0)'")
        }
    }
}
