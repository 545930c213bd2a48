import HaulCore

/// Parses a query in the encoding of forms: `a=1&b=x+y%21`.
package enum QueryFields {
    /// Returns the fields, in order; a field with invalid encoding or UTF-8 is left as written.
    package static func read(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentCoding.decode(spaced), let decoded = String(validating: bytes, as: UTF8.self) else {
            return String(text)
        }
        return decoded
    }
}
