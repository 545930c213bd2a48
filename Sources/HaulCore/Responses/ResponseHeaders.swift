package import HTTPTypes

/// The fields of an answer's header, as they are read: by name, the values of one that came several times as one list (RFC 9110, section 5.3).
///
/// HTTPTypes says the same and takes ten times as long for it, which is a tenth of what a small file costs.
package struct ResponseHeaders {
    private let all: [(name: String, value: String)]

    /// Reads the fields once.
    package init(_ fields: HTTPFields) { all = fields.map { ($0.name.canonicalName, $0.value) } }

    /// The value of a field; nil where there is none.
    package subscript(name: HTTPField.Name) -> String? {
        let wanted = name.canonicalName
        let length = wanted.utf8.count
        var result: String?
        for field in all where field.name.utf8.count == length && field.name == wanted {
            result = result.map { $0 + ", " + field.value } ?? field.value
        }
        return result
    }

    /// The values of a field that are not to be joined.
    package subscript(values name: HTTPField.Name) -> [String] {
        let wanted = name.canonicalName
        return all.compactMap { $0.name == wanted ? $0.value : nil }
    }
}

/// What the first bytes from a server say, before the head of a response is complete.
///
/// A server of another protocol may greet and then wait, so its greeting must not be held until it ends like a head.
package enum ResponseStart: Hashable, Sendable {
    /// They may be the beginning of an HTTP response.
    case possible
    /// They are a record of TLS: the server expects TLS.
    case tls
    /// They are the greeting of another protocol: the first line, as far as it has come, fit for a terminal.
    case other(String)
    /// They are not text: a broken response, rather than another protocol.
    case garbage

    /// The most columns of the first line that are shown.
    private static let width = 60

    /// Judges bytes; empty lines may come before a status line (RFC 9112, section 2.2).
    package init(_ bytes: some Collection<UInt8>) {
        let start = bytes.drop { $0 == 0x0D || $0 == 0x0A }
        guard let first = start.first, zip(start, "HTTP/".utf8).contains(where: { $0 != $1 }) else {
            self = .possible
            return
        }
        // RFC 8446, section 5.1: an alert, or a message of the handshake.
        if first == 0x15 || first == 0x16 {
            self = .tls
        } else {
            let line = start.prefix(256).prefix { $0 != 0x0D && $0 != 0x0A }
            guard line.allSatisfy({ $0 >= 0x20 && $0 <= 0x7E || $0 == 0x09 }) else {
                self = .garbage
                return
            }
            self = .other(TerminalText.fitted(String(decoding: Array(line), as: UTF8.self), width: Self.width))
        }
    }
}
