/// One range in the form of a request (RFC 9110, 14.1.2): `first-`, `first-last` or `-suffix`.
public struct RequestedRange: Sendable, Hashable {
    /// The first offset; nil if the last bytes are requested.
    public let first: Int64?
    /// The last offset, inclusive, or the number of last bytes if there is no first offset.
    public let last: Int64?

    /// Reads the value of a `Range` header; returns no ranges if the unit is not bytes or the value is malformed.
    public static func list(_ value: String?) -> [RequestedRange] {
        guard let value, value.lowercased().hasPrefix("bytes=") else { return [] }
        let parts = value.dropFirst(6).split(separator: ",", omittingEmptySubsequences: false)
        let ranges = parts.compactMap { RequestedRange(String($0).trimmed) }
        return ranges.count == parts.count ? ranges : []
    }

    /// Reads one range.
    init?(_ text: String) {
        guard let dash = text.firstIndex(of: "-") else { return nil }
        let left = text[..<dash]
        let right = text[text.index(after: dash)...]
        guard (left + right).utf8.allSatisfy({ (48...57).contains($0) }), !(left.isEmpty && right.isEmpty) else {
            return nil
        }
        first = left.isEmpty ? nil : Int64(left)
        last = right.isEmpty ? nil : Int64(right)
        if (!left.isEmpty && first == nil) || (!right.isEmpty && last == nil) { return nil }
        if let first, let last, last < first { return nil }
    }

    /// Returns the range in a resource of a size; nil if it cannot be satisfied.
    public func resolved(in size: Int64) -> Range<Int64>? {
        guard let first else {
            guard let last, last > 0, size > 0 else { return nil }
            return max(0, size - last)..<size
        }
        guard first < size else { return nil }
        guard let last, last < size else { return first..<size }
        return first..<(last + 1)
    }
}

extension String {
    /// The text without spaces and tabs at both ends.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let end = reversed().drop(while: isBlank)
        return String(String(end.reversed()).drop(while: isBlank))
    }
}
