/// Decodes the chunked transfer coding of a body (RFC 9112, section 7.1).
///
/// libcurl could do it, but reads `0x1000` as an empty chunk, the end of the body. Like browsers, this decoder
/// tolerates blanks after a size, extensions, and lines that end with LF alone. Any other deviation from the grammar
/// breaks the body.
struct ChunkDecoder {
    private enum State: Hashable {
        case size(Int64, digits: Int)
        case behindSize(Int64)
        case inExtension(Int64)
        case endOfSize(Int64)
        case data(Int64)
        case behindData
        case endOfData
        /// The fields after the last chunk, with the length of the current line so far.
        case trailer(Int)
        case end
        case broken
    }

    private var state = State.size(0, digits: 0)

    /// True if the last chunk and the fields after it were received.
    var isAtEnd: Bool { state == .end }

    /// True if the received bytes are not valid chunks.
    var isBroken: Bool { state == .broken }

    /// Returns the bytes of the body in some bytes of the connection.
    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.first {
            guard case .data(let left) = state else {
                state = state(after: byte)
                if state == .end || state == .broken { return result }
                rest.removeFirst()
                continue
            }
            let piece = rest.prefix(Int(min(left, Int64(rest.count))))
            result += piece
            rest = rest[piece.endIndex...]
            let missing = left - Int64(piece.count)
            state = missing == 0 ? .behindData : .data(missing)
        }
        return result
    }

    private func state(after byte: UInt8) -> State {
        switch (state, byte) {
        case (.size(let size, let digits), _) where Self.digit(byte) != nil:
            // 15 digits fit `Int64`.
            digits < 15 ? .size(size << 4 | (Self.digit(byte) ?? 0), digits: digits + 1) : .broken
        case (.size(let size, 1...), _), (.behindSize(let size), _): Self.behind(size, byte)
        case (.endOfSize(let size), 0x0A), (.inExtension(let size), 0x0A): Self.begin(size)
        case (.inExtension(let size), _): .inExtension(size)
        case (.behindData, 0x0D): .endOfData
        case (.behindData, 0x0A), (.endOfData, 0x0A): .size(0, digits: 0)
        case (.trailer(0), 0x0A): .end
        case (.trailer, 0x0A): .trailer(0)
        case (.trailer(let length), 0x0D): .trailer(length)
        case (.trailer(let length), _): .trailer(length + 1)
        case (.end, _): .end
        case (.size, _), (.endOfSize, _), (.behindData, _), (.endOfData, _), (.data, _), (.broken, _): .broken
        }
    }

    private static func behind(_ size: Int64, _ byte: UInt8) -> State {
        switch byte {
        case 0x20, 0x09: .behindSize(size)
        case UInt8(ascii: ";"): .inExtension(size)
        case 0x0D: .endOfSize(size)
        case 0x0A: begin(size)
        case _: .broken
        }
    }

    private static func begin(_ size: Int64) -> State { size == 0 ? .trailer(0) : .data(size) }

    private static func digit(_ byte: UInt8) -> Int64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int64(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int64(byte - UInt8(ascii: "A")) + 10
        case _: nil
        }
    }
}
