import HaulCore

/// Reads a query as forms write it: `a=1&b=x+y%21`.
package enum QueryFields {
    /// The fields, in order; what is no such encoding, or no UTF-8, stays as it is written.
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
