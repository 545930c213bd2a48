/// Parses the authentication schemes that a server offers (`WWW-Authenticate`, RFC 9110, section 11.6.1).
package enum Challenges {
    /// Returns the names of the offered schemes, in lower case.
    ///
    /// A header may contain several challenges and a challenge several parameters, all separated by commas: a name
    /// followed by `=` is a parameter.
    package static func schemes(in challenges: [String]) -> [String] {
        var names: [String] = []
        for part in challenges.flatMap(parts) {
            let name = part.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "=") }
            let rest = part.dropFirst(name.count).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard !name.isEmpty, rest.first != UInt8(ascii: "=") else { continue }
            names.append(String(decoding: name, as: UTF8.self).lowercased())
        }
        return names
    }

    /// Returns the usual names, without repetition: `Digest and Basic`.
    static func list(_ schemes: [String]) -> String {
        let known = [
            "basic": "Basic", "bearer": "Bearer", "digest": "Digest", "negotiate": "Negotiate", "ntlm": "NTLM",
        ]
        var names: [String] = []
        for scheme in schemes {
            let name = known[scheme] ?? TerminalText.fitted(scheme, width: 20)
            if !names.contains(name), names.count < 4 { names.append(name) }
        }
        guard names.count > 1, let last = names.popLast() else { return names.first ?? "" }
        return names.joined(separator: ", ") + " and " + last
    }

    /// Splits at commas outside quotes, and removes leading white space.
    private static func parts(_ value: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(value.utf8)
        var (parts, start, isQuoted, isEscaped) = ([ArraySlice<UInt8>](), 0, false, false)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                parts.append(bytes[start..<index])
                start = index + 1
            default: break
            }
        }
        parts.append(bytes[start...])
        return parts.map { $0.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
    }
}
