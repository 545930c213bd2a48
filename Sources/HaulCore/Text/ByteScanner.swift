/// Reads the UTF-8 bytes of a text from left to right; accepts any bytes.
///
/// Works on bytes, not `Character`s: a combining mark after a `;` would hide it from a search for characters.
struct ByteScanner {
    private var rest: ArraySlice<UInt8>

    /// Starts at the first byte that is not a space or tab; trailing ones are dropped, too.
    init(_ text: some StringProtocol) {
        rest = Array(text.utf8)[...].trimmingOptionalSpace
    }

    /// True if everything was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next byte, without taking it.
    var peek: UInt8? { rest.first }

    /// Takes the next byte.
    mutating func next() -> UInt8? { rest.popFirst() }

    /// Takes `character` if it comes next; returns true if it did.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes spaces and tabs; returns true if there were any.
    @discardableResult
    mutating func skipSpaces() -> Bool { !take(while: \.isOptionalSpace).isEmpty }

    /// Takes bytes as long as they match.
    mutating func take(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: fits)
        rest = rest.dropFirst(taken.count)
        return taken
    }

    /// Takes all decimal digits that come next; returns nil if their count is not in `digits` or the number is too
    /// large for `Int64`.
    mutating func number(digits: ClosedRange<Int> = 1...Int.max) -> Int64? {
        let taken = take(while: \.isASCIIDigit)
        guard digits.contains(taken.count) else { return nil }
        var value: Int64 = 0
        for byte in taken {
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// Takes the ASCII letters that come next, lower-cased.
    mutating func word() -> String { take(while: \.isASCIILetter).asciiLowercasedText }
}
