/// Adds the framing around the pieces of a body.
struct Framer {
    private let framing: Framing
    private var sent: Int64 = 0
    private var isBroken = false

    init(_ framing: Framing) {
        self.framing = framing
    }

    /// The maximum length of a piece.
    var limit: Int64 {
        switch framing {
        case .length, .untilClose: 64 * 1024
        case .chunked(let size, let fault):
            if case .size(_, let place) = fault, place > sent { min(Int64(size), place - sent) } else { Int64(size) }
        }
    }

    /// Returns the framing before a piece of `count` bytes.
    mutating func before(_ count: Int) -> [UInt8] {
        guard case .chunked(_, let fault) = framing else { return [] }
        defer { sent += Int64(count) }
        if case .size(let text, let place) = fault, sent >= place, !isBroken {
            isBroken = true
            return Array("\(text)\r\n".utf8)
        }
        return Array("\(String(count, radix: 16))\r\n".utf8)
    }

    /// The framing after a piece.
    var after: [UInt8] {
        if case .chunked = framing { return [0x0D, 0x0A] }
        return []
    }

    /// The framing after the last piece; nil if the connection ends instead.
    var end: [UInt8]? {
        guard case .chunked(_, let fault) = framing else { return [] }
        return fault == .noLastChunk ? nil : Array("0\r\n\r\n".utf8)
    }
}
