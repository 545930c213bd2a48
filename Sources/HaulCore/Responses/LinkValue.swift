/// One link of a `Link` header (RFC 8288, section 3).
package struct LinkValue: Hashable, Sendable {
    /// The target as sent; may be relative.
    package var target: String
    /// The parameters by their lower-case names; if a name is repeated, the first one counts.
    package var parameters: [String: String] = [:]

    /// The relation types, in lower case.
    package var relations: [String] {
        (parameters["rel"] ?? "").lowercased().split(separator: " ").map(String.init)
    }

    /// Parses the value of a header; malformed links are left out.
    package static func list(_ header: String) -> [LinkValue] {
        var scanner = ByteScanner(header)
        var links: [LinkValue] = []
        while !scanner.isAtEnd {
            scanner.skipSpaces()
            guard scanner.skip("<") else {
                _ = scanner.take { $0 != UInt8(ascii: ",") }
                _ = scanner.skip(",")
                continue
            }
            var link = LinkValue(target: text(scanner.take { $0 != UInt8(ascii: ">") }))
            guard scanner.skip(">") else { break }
            link.readParameters(&scanner)
            links.append(link)
        }
        return links
    }

    /// Reads up to and including the comma before the next link.
    private mutating func readParameters(_ scanner: inout ByteScanner) {
        while true {
            _ = scanner.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
            guard scanner.skip(";") else {
                _ = scanner.skip(",")
                return
            }
            let ends: Set<UInt8> = [UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: ",")]
            let name = scanner.take { !ends.contains($0) }.trimmingOptionalSpace.asciiLowercasedText
            guard scanner.skip("=") else { continue }
            scanner.skipSpaces()
            let value =
                scanner.skip("\"")
                ? Self.quoted(&scanner) : Self.text(scanner.take { !ends.contains($0) }.trimmingOptionalSpace)
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    /// Reads a quoted string after its opening quote, up to and including the closing one (RFC 9110, section 5.6.4).
    private static func quoted(_ scanner: inout ByteScanner) -> String {
        var bytes: [UInt8] = []
        while let byte = scanner.next(), byte != UInt8(ascii: "\"") {
            bytes.append(byte == UInt8(ascii: "\\") ? scanner.next() ?? byte : byte)
        }
        return text(bytes)
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// A mirror of the file that the server names (RFC 6249, section 3).
package struct LinkedMirror: Hashable, Sendable {
    /// The URL as sent; may be relative.
    package var reference: String
    /// The priority: 1 is the best; the worst if none is given.
    package var priority: Int

    /// Returns the mirrors among the links of these header values, at most 16, in the order sent.
    package static func list(_ headers: [String]) -> [LinkedMirror] {
        let links = headers.flatMap(LinkValue.list).filter { $0.relations.contains("duplicate") }
        return links.prefix(16).map { link in
            let priority = link.parameters["pri"].flatMap { Int($0) } ?? 999_999
            return LinkedMirror(reference: link.target, priority: min(max(priority, 1), 999_999))
        }
    }
}
