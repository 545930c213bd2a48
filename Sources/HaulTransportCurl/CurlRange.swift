/// The `Range` of a request (RFC 9110, section 14.2), in the only form that the engine sends: `bytes=5-` or
/// `bytes=5-9`.
struct CurlRange: Hashable {
    /// The offset of the first byte.
    let first: Int64
    /// The offset after the last byte; nil if the range extends to the end.
    let end: Int64?

    /// Creates a range; nil if it would be empty.
    init?(first: Int64, end: Int64?) {
        guard first >= 0, end.map({ $0 > first }) ?? true else { return nil }
        self.first = first
        self.end = end
    }

    /// Parses a header's value; nil if it has another form, which may be ignored, as any server may ignore it.
    init?(parsing value: String) {
        guard value.hasPrefix("bytes=") else { return nil }
        let parts = value.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Self.number(parts[0]) else { return nil }
        if parts[1].isEmpty {
            self.init(first: first, end: nil)
        } else {
            guard let last = Self.number(parts[1]), last < .max else { return nil }
            self.init(first: first, end: last + 1)
        }
    }

    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
    }
}
