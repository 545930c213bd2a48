/// One link of a `Link` header (RFC 8288, section 3).
package struct LinkValue: Hashable, Sendable {
    /// Where it leads, as it is sent: it may be relative.
    package var target: String
    /// Its parameters by their names in lower case; of two of one name the first counts.
    package var parameters: [String: String] = [:]

    /// Its relation types, in lower case.
    package var relations: [String] {
        (parameters["rel"] ?? "").lowercased().split(separator: " ").map(String.init)
    }

    /// The links of a header's value; what is malformed is left out.
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

    /// Reads up to and with the comma before the next link.
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

    /// Reads behind the opening quote, up to and with the closing one (RFC 9110, section 5.6.4).
    private static func quoted(_ scanner: inout ByteScanner) -> String {
        var bytes: [UInt8] = []
        while let byte = scanner.next(), byte != UInt8(ascii: "\"") {
            bytes.append(byte == UInt8(ascii: "\\") ? scanner.next() ?? byte : byte)
        }
        return text(bytes)
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Another place where the server says that the same file is (RFC 6249, section 3).
package struct LinkedMirror: Hashable, Sendable {
    /// Where, as it is sent: it may be relative.
    package var reference: String
    /// Which one is asked first: 1 is the best; the worst where none is given.
    package var priority: Int

    /// The mirrors among the links of these header values, at most 16, in the order in which they are sent.
    package static func list(_ headers: [String]) -> [LinkedMirror] {
        let links = headers.flatMap(LinkValue.list).filter { $0.relations.contains("duplicate") }
        return links.prefix(16).map { link in
            let priority = link.parameters["pri"].flatMap { Int($0) } ?? 999_999
            return LinkedMirror(reference: link.target, priority: min(max(priority, 1), 999_999))
        }
    }
}
