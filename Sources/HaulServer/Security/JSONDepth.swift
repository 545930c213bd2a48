/// How deep a JSON text is nested.
package enum JSONDepth {
    /// The most that the API reads.
    package static let maximum = 64

    /// Whether arrays and objects are nested at most so deep; what else is wrong with the text the reader finds.
    ///
    /// The reader is recursive: a text that is nested too deep would cost its thread's stack.
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
