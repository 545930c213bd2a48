/// Measures the nesting of a JSON text.
package enum JSONDepth {
    /// The maximum nesting that the API accepts.
    package static let maximum = 64

    /// Returns true if arrays and objects are nested at most to this depth; other errors are left to the JSON decoder.
    ///
    /// The decoder is recursive: a text that is nested too deeply would overflow its thread's stack.
    package static func isAtMost(_ limit: Int, in bytes: some Sequence<UInt8>) -> Bool {
        var (depth, isText, isEscaped) = (0, false, false)
        for byte in bytes {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > limit { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case _: break
            }
        }
        return true
    }
}
