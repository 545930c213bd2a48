import HaulCore

/// Rejects dangerous and invalid documents before the XML parser sees them.
///
/// Entities can make a small document huge, or make the parser read other files. A document without declarations has
/// only the five entities of XML itself; therefore every declaration is rejected, even in a comment.
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
        // An encoding that only libxml2 reads could hide a declaration from the search below.
        guard !body.contains(0), String(validating: body, as: UTF8.self) != nil, declaresUTF8(body) else {
            throw refusal("it is not in UTF-8")
        }
        guard !hasDeclaration(body) else {
            throw refusal("it has a document type or entities")
        }
        guard !hasInstruction(body) else {
            throw refusal("it has a processing instruction")
        }
    }

    /// Returns true if the document starts like a web page.
    private static func isHTML(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = String(decoding: bytes.prefix(256), as: UTF8.self).lowercased().filter { !$0.isWhitespace }
        return start.hasPrefix("<!doctypehtml") || start.hasPrefix("<html>") || start.hasPrefix("<htmllang")
    }

    /// Returns true if there is a `<!` that does not start a comment or character data.
    private static func hasDeclaration(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(mark + 1)...]
            guard rest.first == UInt8(ascii: "!") else { continue }
            let after = rest.dropFirst()
            guard after.starts(with: "--".utf8) || after.starts(with: "[CDATA[".utf8) else { return true }
        }
        return false
    }

    /// Returns true if there is a `<?` that does not start the XML declaration, even in a comment.
    ///
    /// Foundation's parser on Linux dereferences a null pointer for an instruction without data (`<?x?>`).
    private static func hasInstruction(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        if rest.starts(with: "<?xml".utf8), let after = rest.dropFirst(5).first,
            [0x20, 0x09, 0x0A, 0x0D].contains(after)
        {
            rest = rest.dropFirst(5)
        }
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(mark + 1)...]
            if rest.first == UInt8(ascii: "?") { return true }
        }
        return false
    }

    /// Returns true if the encoding is UTF-8; XML 1.0, section 4.3.3: that is the default without a declaration.
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
