/// Values in GLib's text format, in which `gdbus call` reads its arguments (GVariant Text Format).
enum GVariantText {
    /// Returns a string literal: in single quotes, with backslash, quote and control characters escaped, and without
    /// NUL, which it can't contain.
    static func string(_ text: String) -> String {
        "'" + text.unicodeScalars.map(escaped).joined() + "'"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\0": ""
        case "\\", "'": "\\\(scalar)"
        case _ where scalar.properties.generalCategory == .control:
            "\\u" + String(repeating: "0", count: scalar.value < 0x10 ? 3 : 2) + String(scalar.value, radix: 16)
        default: String(scalar)
        }
    }
}
