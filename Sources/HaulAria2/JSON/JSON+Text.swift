extension JSON {
    /// The value as one line of UTF-8 that is safe inside a script.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        write(to: &result)
        return result
    }

    /// The value as text.
    package var line: String { String(decoding: bytes, as: UTF8.self) }

    private func write(to result: inout [UInt8]) {
        switch self {
        case .null: result += "null".utf8
        case .bool(let truth): result += (truth ? "true" : "false").utf8
        case .number(let text): result += text.utf8
        case .string(let text): Self.quote(text, to: &result)
        case .array(let elements):
            result.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { result.append(UInt8(ascii: ",")) }
                element.write(to: &result)
            }
            result.append(UInt8(ascii: "]"))
        case .object(let members):
            result.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { result.append(UInt8(ascii: ",")) }
                Self.quote(member.name, to: &result)
                result.append(UInt8(ascii: ":"))
                member.value.write(to: &result)
            }
            result.append(UInt8(ascii: "}"))
        }
    }

    /// Writes a string (RFC 8259, section 7).
    ///
    /// U+2028 and U+2029 are escaped, too, because they end a line in a JSONP script.
    private static func quote(_ text: String, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\"".utf8
            case "\\": result += "\\\\".utf8
            case "\u{0}"..."\u{1F}", "\u{7F}", "<", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                result += "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)".utf8
            default: result += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
        result.append(UInt8(ascii: "\""))
    }
}
