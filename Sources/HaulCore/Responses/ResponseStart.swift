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
