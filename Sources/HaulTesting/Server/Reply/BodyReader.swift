/// Reads a body in parts, so that it can have any size.
struct BodyReader {
    private var pieces: ArraySlice<BodyPiece>
    private var position: Int64 = 0
    private var left: Int64

    init(_ pieces: [BodyPiece], atMost limit: Int64 = .max) {
        self.pieces = pieces[...]
        left = limit
    }

    /// Returns the whole body, which must not be endless.
    static func all(_ pieces: [BodyPiece]) -> [UInt8] {
        var reader = BodyReader(pieces)
        var bytes: [UInt8] = []
        while case let more = reader.next(1 << 20), !more.isEmpty { bytes += more }
        return bytes
    }

    /// Returns at most `limit` of the next bytes; none at the end.
    mutating func next(_ limit: Int64) -> [UInt8] {
        while let piece = pieces.first {
            let count = min(limit, left, piece.count - position)
            guard count > 0 else {
                if min(limit, left) <= 0 { return [] }
                pieces.removeFirst()
                position = 0
                continue
            }
            let bytes = read(piece, position..<(position + count))
            if case .endless = piece {} else { position += count }
            left -= count
            return bytes
        }
        return []
    }

    private func read(_ piece: BodyPiece, _ part: Range<Int64>) -> [UInt8] {
        switch piece {
        case .literal(let bytes): return Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)])
        case .endless: return [UInt8](repeating: 0, count: part.count)
        case .content(let content, let range, let flips):
            let start = range.lowerBound + part.lowerBound
            var bytes = content.bytes(start..<(start + Int64(part.count)))
            for flip in flips where flip >= start && flip < start + Int64(bytes.count) {
                bytes[Int(flip - start)] ^= 0xFF
            }
            return bytes
        }
    }
}
