import HaulTransport
import NIOHTTP1

/// The loss of a connection that had been used before, before a response to its present request began.
///
/// The server may have closed it at the moment of its reuse, without announcing it (RFC 9112, section 9.3.1). The request
/// is one that may be sent again over another connection (RFC 9110, section 9.2.2): a GET or HEAD without a body.
struct StaleConnection: Error {
    /// The error, in case the request can't be sent again.
    let cause: any Error
}

extension TransportError {
    /// The error for bytes on a connection that was used before.
    static let leftover = TransportError(.cut, "bytes that belong to no response")
}

extension HTTPResponseHead {
    /// True if the value of a field contains a status line, which may be that of the next response.
    var containsStatusLine: Bool { headers.contains { Self.hasStatusLine($0.value) } }

    /// Returns true if a text contains something like `HTTP/1.1 200`.
    private static func hasStatusLine(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            let before = text.utf8[..<slash].suffix(4)
            rest = rest[text.utf8.index(after: slash)...]
            let next = Array(rest.prefix(7))
            if before.elementsEqual("HTTP".utf8), next.count == 7, next.starts(with: "1.".utf8), next[3] == 0x20,
                next[4...].allSatisfy({ 0x30...0x39 ~= $0 })
            {
                return true
            }
        }
        return false
    }
}

extension TransferRequest {
    /// False if the request has a connection of its own: if it were lost over one that was used before, it would be unknown
    /// whether the server has carried it out.
    var sharesConnections: Bool { method == "GET" && body == nil }
}

extension HTTPRequestHead {
    /// True if the request may be sent again although it is unknown whether the server has received it.
    var mayBeRepeated: Bool {
        (method == .GET || method == .HEAD) && !headers.contains(name: "content-length")
            && !headers.contains(name: "transfer-encoding")
    }
}
