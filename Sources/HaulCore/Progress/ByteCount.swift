/// Reads and writes amounts of bytes in human-readable form.
///
/// All units are powers of 1024, including `KB` and `MB`.
package enum ByteCount {
    /// Parses amounts such as `1048576`, `500K`, `2M`, `1.5MiB` and `10 GB`.
    ///
    /// Accepts a number and an optional unit: B, K, M, G, T, P or E in upper or lower case, alone or with `B` or `iB`.
    /// Fractions of a byte are rounded up.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected form.
    package static func parse(_ text: String) throws(DownloadError) -> Int64 {
        guard let count = count(text) else {
            let shown = URLRedaction.quoted(text, width: 60)
            throw DownloadError(
                .invalidRequest,
                "invalid number of bytes \"\(shown)\": expected a number with an optional unit, such as 500K, 2M or 1.5GiB"
            )
        }
        return count
    }

    /// Formats an amount in the largest unit that it fills: `999 B`, `1.5 MiB`, `10.0 GiB`, `1023 KiB`.
    ///
    /// Uses at most four digits and nine characters. Rounds down, so that a file is never shown as larger than it is,
    /// or as complete before it is. A negative amount is shown as 0.
    package static func string(_ count: Int64) -> String {
        guard count >= 1024 else { return "\(max(0, count)) B" }
        let power = (63 - count.leadingZeroBitCount) / 10
        let whole = count >> (power * 10)
        let unit = "\(units[power])iB"
        guard whole < 1000 else { return "\(whole) \(unit)" }
        let tenths = (UInt128(count) * 10) >> UInt128(power * 10)
        return "\(whole).\(tenths % 10) \(unit)"
    }

    private static let units: [Character] = ["B", "K", "M", "G", "T", "P", "E"]
    private static let unitNames = units.map { String($0).lowercased() }

    private static func count(_ text: String) -> Int64? {
        var scanner = ByteScanner(text)
        guard let whole = scanner.number() else { return nil }
        let fraction = scanner.skip(".") ? scanner.take(while: \.isASCIIDigit) : nil
        scanner.skipSpaces()
        guard let power = power(of: scanner.word()), scanner.isAtEnd else { return nil }
        let (bytes, overflow) = whole.multipliedReportingOverflow(by: 1 << (power * 10))
        guard !overflow, let fraction else { return overflow ? nil : bytes }
        guard !fraction.isEmpty, power > 0 else { return nil }
        let (sum, carry) = bytes.addingReportingOverflow(share(fraction, of: power))
        return carry ? nil : sum
    }

    /// Returns the power of 1024 of a unit.
    private static func power(of unit: String) -> Int? {
        if unit.isEmpty { return 0 }
        return unitNames.firstIndex { name in
            unit == name || name != "b" && (unit == name + "b" || unit == name + "ib")
        }
    }

    // Nine decimals of 2^60 need 90 bits; more decimals are not significant.
    private static func share(_ decimals: ArraySlice<UInt8>, of power: Int) -> Int64 {
        var scaled: UInt128 = 0
        var divisor: UInt128 = 1
        for digit in decimals.prefix(9) {
            scaled = scaled * 10 + UInt128(digit - UInt8(ascii: "0"))
            divisor *= 10
        }
        return Int64(((scaled << UInt128(power * 10)) + divisor - 1) / divisor)
    }
}

extension Int64 {
    /// Returns the sum, clamped to the range of the type: sizes come from servers and may overflow.
    package func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
