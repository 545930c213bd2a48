/// Decodes text as UTF-8 or, if it is invalid, as Windows-1252, as browsers read headers and names that should have
/// been ASCII.
package enum Windows1252 {
    /// Decodes bytes as UTF-8 if they are valid, else as Windows-1252, which gives each byte a meaning.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? decoded(bytes)
    }

    /// Decodes bytes as Windows-1252, as in the WHATWG's Encoding Standard (index-windows-1252).
    package static func decoded(_ bytes: some Collection<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(0x80...0x9F ~= byte ? high[Int(byte - 0x80)] : Unicode.Scalar(byte)) }
        return String(scalars)
    }

    /// The characters of 0x80 to 0x9F; the five undefined ones stay control characters.
    private static let high = Array(
        "\u{20AC}\u{81}\u{201A}\u{192}\u{201E}\u{2026}\u{2020}\u{2021}\u{2C6}\u{2030}\u{160}\u{2039}\u{152}\u{8D}\u{17D}\u{8F}\u{90}\u{2018}\u{2019}\u{201C}\u{201D}\u{2022}\u{2013}\u{2014}\u{2DC}\u{2122}\u{161}\u{203A}\u{153}\u{9D}\u{17E}\u{178}"
            .unicodeScalars)
}
