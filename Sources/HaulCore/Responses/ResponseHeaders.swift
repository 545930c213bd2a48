package import HTTPTypes

/// The fields of a response, by name.
///
/// The values of a repeated field are joined to one list (RFC 9110, section 5.3).
///
/// HTTPTypes offers the same but takes ten times as long, which is a tenth of the cost of a small file.
package struct ResponseHeaders {
    private let all: [(name: String, value: String)]

    /// Reads the fields once.
    package init(_ fields: HTTPFields) { all = fields.map { ($0.name.canonicalName, $0.value) } }

    /// The value of a field, or nil if there is none.
    package subscript(name: HTTPField.Name) -> String? {
        let wanted = name.canonicalName
        let length = wanted.utf8.count
        var result: String?
        for field in all where field.name.utf8.count == length && field.name == wanted {
            result = result.map { $0 + ", " + field.value } ?? field.value
        }
        return result
    }

    /// The values of a field that must not be joined.
    package subscript(values name: HTTPField.Name) -> [String] {
        let wanted = name.canonicalName
        return all.compactMap { $0.name == wanted ? $0.value : nil }
    }
}

/// The protocol that the first bytes from a server suggest, before the head of a response is complete.
///
/// A server of another protocol may send a greeting and then wait, so the greeting must be detected before it ends like
/// a head.
package enum ResponseStart: Hashable, Sendable {
    /// The bytes may be the start of an HTTP response.
    case possible
    /// The bytes are a TLS record: the server expects TLS.
    case tls
    /// The bytes are the greeting of another protocol: its first line as received so far, printable.
    case other(String)
    /// The bytes are not text: a broken response rather than another protocol.
    case garbage

    /// The maximum number of columns of the first line that are shown.
    private static let width = 60

    /// Classifies bytes; empty lines may precede a status line (RFC 9112, section 2.2).
    package init(_ bytes: some Collection<UInt8>) {
        // Unsafe: the bytes are only read, during the call.
        guard bytes.withContiguousStorageIfAvailable({ unsafe !$0.starts(with: "HTTP/".utf8) }) ?? true else {
            self = .possible
            return
        }
        let start = bytes.drop { $0 == 0x0D || $0 == 0x0A }
        guard let first = start.first, zip(start, "HTTP/".utf8).contains(where: { $0 != $1 }) else {
            self = .possible
            return
        }
        // RFC 8446, section 5.1: an alert, or a handshake message.
        if first == 0x15 || first == 0x16 {
            self = .tls
        } else {
            let line = start.prefix(256).prefix { $0 != 0x0D && $0 != 0x0A }
            guard line.allSatisfy({ $0 >= 0x20 && $0 <= 0x7E || $0 == 0x09 }) else {
                self = .garbage
                return
            }
            var text = String(decoding: Array(line), as: UTF8.self)
            // A server that repeats the request would show the secrets in its query.
            if let query = text.firstIndex(of: "?") { text.replaceSubrange(query..., with: "?…") }
            self = .other(TerminalText.fitted(text, width: Self.width))
        }
    }
}
