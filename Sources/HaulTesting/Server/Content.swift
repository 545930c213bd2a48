/// The bytes of a resource.
enum Content: Sendable {
    case literal([UInt8])
    case generated(TestBytes, size: Int64)

    var size: Int64 {
        switch self {
        case .literal(let bytes): Int64(bytes.count)
        case .generated(_, let size): size
        }
    }

    /// Returns the bytes of a range.
    ///
    /// Beyond the end, generated content continues, and literal content is zero: shifted and endless bodies need that.
    func bytes(_ range: Range<Int64>) -> [UInt8] {
        switch self {
        case .generated(let source, _): return source.bytes(range)
        case .literal(let bytes):
            let inside = range.clamped(to: 0..<Int64(bytes.count))
            let known = bytes[Int(inside.lowerBound)..<Int(inside.upperBound)]
            return known + [UInt8](repeating: 0, count: range.count - known.count)
        }
    }
}
