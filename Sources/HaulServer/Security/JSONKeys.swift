/// Examines the member names of a JSON text.
package enum JSONKeys {
    /// Returns the first duplicate name in an object, or nil.
    ///
    /// Decoders differ in which of the two counts (RFC 8259, section 4), so such a text is rejected. Other errors are
    /// left to the JSON decoder; the nesting must have been checked before.
    package static func firstDuplicate(in bytes: some Sequence<UInt8>) -> String? {
        var names: [Set<String>?] = []
        var isName = false
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "{"):
                names.append([])
                isName = true
            case UInt8(ascii: "["):
                names.append(nil)
                isName = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = names.popLast()
            case UInt8(ascii: ","): isName = names.last.flatMap(\.self) != nil
            case UInt8(ascii: "\""):
                let text = string(&iterator)
                guard isName, !names.isEmpty else { continue }
                isName = false
                if names[names.count - 1]?.insert(text).inserted == false { return text }
            case _: break
            }
        }
        return nil
    }

    /// Reads up to the closing quotation mark and decodes escapes.
    private static func string(_ iterator: inout some IteratorProtocol<UInt8>) -> String {
        var text = ""
        var plain: [UInt8] = []
        var units: [UInt16] = []
        func flush() {
            text += String(decoding: plain, as: UTF8.self) + String(decoding: units, as: UTF16.self)
            (plain, units) = ([], [])
        }
        while let byte = iterator.next(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                if !units.isEmpty { flush() }
                plain.append(byte)
                continue
            }
            if !plain.isEmpty { flush() }
            switch iterator.next() {
            case UInt8(ascii: "u"):
                let digits = (0..<4).compactMap { _ in iterator.next() }
                units.append(UInt16(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD)
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case let other?: units.append(UInt16(other))
            case nil: break
            }
        }
        flush()
        return text
    }
}
