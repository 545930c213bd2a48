/// The file name in a `Content-Disposition` header (RFC 6266).
package enum ContentDisposition {
    /// The name that the server suggests, as it is sent, or nil where it suggests none.
    ///
    /// `filename*` (RFC 8187) wins over `filename`; one that is malformed, of an unknown charset or empty counts as
    /// absent. Charsets may be misspelt (`utf8`), and Latin-1 means Windows-1252, as for browsers. Of two parameters of one name the first counts. What servers send against the grammar is read as
    /// browsers do: a missing type, bare letters beyond ASCII, unquoted spaces, a quoted `filename*`, a quote that
    /// never ends. `filename` is never percent-decoded, and RFC 2047 words stay as they are.
    ///
    /// The result may hold anything: only `FileName` makes a name of it.
    package static func fileName(_ value: String) -> String? {
        var scanner = ByteScanner(value)
        var plain: String?
        var extended: String?
        while !scanner.isAtEnd {
            let (name, text) = parameter(&scanner)
            switch name {
            case "filename": plain = plain ?? text
            case "filename*": extended = extended ?? text.flatMap(decodedExtendedValue)
            default: break
            }
        }
        return [extended, plain].compactMap(\.self).first { !$0.isEmpty }
    }

    /// Reads up to and with the next semicolon; the type, and whatever else has no `=`, has no text.
    private static func parameter(_ scanner: inout ByteScanner) -> (name: String, text: String?) {
        scanner.skipSpaces()
        let name = scanner.take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }.trimmingOptionalSpace
        var text: [UInt8]?
        if scanner.skip("=") {
            scanner.skipSpaces()
            text = scanner.skip("\"") ? quotedString(&scanner) : nil
            let rest = scanner.take { $0 != UInt8(ascii: ";") }.trimmingOptionalSpace
            text = text ?? Array(rest)
        }
        _ = scanner.skip(";")
        return (name.asciiLowercasedText, text.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Reads behind the opening quote, up to and with the closing one (RFC 9110, section 5.6.4).
    private static func quotedString(_ scanner: inout ByteScanner) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = scanner.next(), byte != UInt8(ascii: "\"") {
            text.append(byte == UInt8(ascii: "\\") ? scanner.next() ?? byte : byte)
        }
        return text
    }

    /// Decodes `CHARSET'LANGUAGE'VALUE` (RFC 8187, section 3.2).
    private static func decodedExtendedValue(_ text: String) -> String? {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = PercentCoding.decode(parts[2]) else { return nil }
        let charset = parts[0].asciiLowercasedText.filter { $0 != "-" && $0 != "_" && $0 != " " }
        switch charset {
        case "utf8": return String(validating: bytes, as: UTF8.self).flatMap { $0.isEmpty ? nil : $0 }
        case "iso88591", "latin1", "windows1252", "cp1252", "usascii":
            // A bare byte beyond ASCII is of the header's encoding, not of this one.
            guard !bytes.isEmpty, parts[2].allSatisfy({ $0 < 0x80 }) else { return nil }
            return Windows1252.decoded(bytes)
        default: return nil
        }
    }
}
