/// A `Content-Range` header (RFC 9110, section 14.4) in bytes.
///
/// Only `init(parsing:)` makes one, so a `range` is never empty and always lies within its total.
package enum ContentRange: Hashable, Sendable {
    /// `bytes 0-9/100` or `bytes 0-9/*`: the body is this part of a file of `total` bytes; nil if the server does not
    /// know the total.
    case range(ByteRange, total: Int64?)
    /// `bytes */100`: the requested range lies outside a file of this size (sent with 416).
    case unsatisfied(Int64)

    /// Parses the value of the header; returns nil if its unit is not bytes, a number does not fit `Int64`, or the
    /// range is invalid.
    package init?(parsing value: String) {
        var scanner = ByteScanner(value)
        guard scanner.word() == "bytes", scanner.skipSpaces() else { return nil }
        guard let parsed = scanner.skip("*") ? Self.unsatisfied(&scanner) : Self.range(&scanner), scanner.isAtEnd else {
            return nil
        }
        self = parsed
    }

    private static func unsatisfied(_ scanner: inout ByteScanner) -> ContentRange? {
        guard scanner.skip("/"), let total = scanner.number() else { return nil }
        return .unsatisfied(total)
    }

    private static func range(_ scanner: inout ByteScanner) -> ContentRange? {
        guard let first = scanner.number(), scanner.skip("-"), let last = scanner.number(), scanner.skip("/") else {
            return nil
        }
        guard first <= last, last < Int64.max else { return nil }
        let range = ByteRange(from: first, to: last + 1)
        if scanner.skip("*") { return .range(range, total: nil) }
        guard let total = scanner.number(), total > last else { return nil }
        return .range(range, total: total)
    }
}

extension ContentRange: CustomStringConvertible {
    /// The value of the header in its usual form.
    package var description: String {
        switch self {
        case .range(let range, let total):
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")"
        case .unsatisfied(let total): "bytes */\(total)"
        }
    }
}
