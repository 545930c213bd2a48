/// Reads the UTF-8 bytes of a text from left to right, and survives any of them.
///
/// Bytes, not `Character`s: a combining mark behind a `;` would hide it from a search for characters.
struct ByteScanner {
    private var rest: ArraySlice<UInt8>

    /// Starts at the first byte that is no space or tab; those at the end are left out, too.
    init(_ text: some StringProtocol) {
        rest = Array(text.utf8)[...].trimmingOptionalSpace
    }

    /// Whether everything was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// The byte that comes next, which stays.
    var peek: UInt8? { rest.first }

    /// Takes the next byte.
    mutating func next() -> UInt8? { rest.popFirst() }

    /// Takes `character` if it comes next, and says whether it did.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes spaces and tabs, and says whether there were any.
    @discardableResult
    mutating func skipSpaces() -> Bool { !take(while: \.isOptionalSpace).isEmpty }

    /// Takes bytes as long as they fit.
    mutating func take(while fits: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: fits)
        rest = rest.dropFirst(taken.count)
        return taken
    }

    /// Takes all decimal digits that come next: nil where their count is another one or the number is too large for
    /// `Int64`.
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
