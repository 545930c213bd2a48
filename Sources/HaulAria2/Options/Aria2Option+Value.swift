import HaulCore

extension Aria2Option {
    /// Reads a value as it was written, and gives it as it is kept and told: amounts as bytes, flags as `true` or `false`.
    ///
    /// - Returns: nil where it can't be the value of this option.
    package func value(_ text: String) -> String? {
        switch kind {
        case .flag: return text == "true" || text == "false" ? text : nil
        case .number(let range): return Int64(text).flatMap { range.contains($0) ? String($0) : nil }
        case .size(let range): return Self.bytes(text).flatMap { range.contains($0) ? String($0) : nil }
        case .fraction: return Double(text).flatMap { $0.isFinite && $0 >= 0 ? text : nil }
        case .choice(let choices): return choices.contains(text) ? text : nil
        case .text, .list: return Self.isOneLine(text) ? text : nil
        case .path: return !text.isEmpty && Self.isOneLine(text) ? text : nil
        case .checksum: return (try? Checksum(parsing: text)) == nil ? nil : text
        case .gid: return GID(text).map(\.description)
        case .proxy: return text.isEmpty || (try? ProxySettings(url: text)) != nil ? text : nil
        }
    }

    /// Reads aria2's amounts: a whole number that may end in `K` or `M`, of either case.
    static func bytes(_ text: String) -> Int64? {
        let power: Int64 =
            switch text.utf8.last.map({ $0 | 0x20 }) {
            case UInt8(ascii: "k"): 1 << 10
            case UInt8(ascii: "m"): 1 << 20
            default: 1
            }
        guard let number = Int64(power == 1 ? text : String(text.dropLast())), number >= 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: power)
        return overflow ? nil : bytes
    }

    /// RFC 9110, section 5.5: a line break or NUL in a header's value is never sent; none of the others has a use for one either.
    private static func isOneLine(_ text: String) -> Bool {
        !text.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }
    }
}
