/// The file name in a `Content-Disposition` header (RFC 6266).
package enum ContentDisposition {
    /// Returns the file name that the server suggests, exactly as sent, or nil if it suggests none.
    ///
    /// `filename*` (RFC 8187) takes precedence over `filename`, unless it is malformed, empty or in an unknown charset.
    /// Charsets may be misspelt (`utf8`), and Latin-1 means Windows-1252, as in browsers. If a parameter is repeated,
    /// the first one counts. Violations of the grammar are read as browsers read them: a missing type, raw characters
    /// beyond ASCII, unquoted spaces, a quoted `filename*`, an unterminated quote. `filename` is never percent-decoded,
    /// and RFC 2047 words stay as they are.
    ///
    /// The result may contain anything: only `FileName` makes it safe to use.
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

    /// Reads up to and including the next semicolon.
    ///
    /// The type, and anything else without a `=`, has a nil text.
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

    /// Reads a quoted string after its opening quote, up to and including the closing one (RFC 9110, section 5.6.4).
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
            // A raw byte beyond ASCII is in the encoding of the header, not in the declared charset.
            guard !bytes.isEmpty, parts[2].allSatisfy({ $0 < 0x80 }) else { return nil }
            return Windows1252.decoded(bytes)
        default: return nil
        }
    }
}
