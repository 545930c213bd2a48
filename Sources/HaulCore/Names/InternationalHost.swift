#if canImport(FoundationEssentials)
    @_spi(_Unicode) import Swift
#else
    import Foundation
#endif

/// Converts host names beyond ASCII to the form that DNS knows: `bücher.example` is `xn--bcher-kva.example`.
///
/// Lower case, NFC and punycode, which is what UTS 46 (nontransitional) comes to for the names that people register. Anything that UTS 46
/// would map to something else (full-width letters, ligatures, invisible characters) is refused: two programs that read a host differently
/// are how credentials reach the wrong one.
enum InternationalHost {
    /// Returns the name in ASCII; nil if it is not UTF-8, or has a character that host names can't have.
    static func ascii(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let scalars = composed(text.lowercased())
        var result: [UInt8] = []
        for (index, label) in scalars.split(omittingEmptySubsequences: false, whereSeparator: isDot).enumerated() {
            if index > 0 { result.append(UInt8(ascii: ".")) }
            guard !label.allSatisfy(\.isASCII) else {
                result += label.map { UInt8(truncatingIfNeeded: $0.value) }
                continue
            }
            guard isLabel(label), let encoded = Punycode.encode(label) else { return nil }
            result += Array("xn--".utf8) + encoded
        }
        return result
    }

    /// The dots of UTS 46: the full stop, and those of Chinese and Japanese.
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
    }

    /// Whether a label can be converted (RFC 5891, section 4.2.3, and UTS 46, section 4.1).
    private static func isLabel(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = label.first, first != "-", label.last != "-", !first.properties.generalCategory.isMark,
            !label.starts(with: "xn--".unicodeScalars)
        else { return false }
        return label.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return UInt8(truncatingIfNeeded: scalar.value).isASCIILetterOrDigit || scalar == "-" || scalar == "_"
        }
        // Folding changes these two; UTS 46 (nontransitional) keeps them.
        if scalar == "ß" || scalar == "ς" { return true }
        let category = scalar.properties.generalCategory
        return (category.isLetter || category.isMark || category == .decimalNumber)
            && !scalar.properties.changesWhenNFKCCaseFolded
    }

    /// The scalars in normalization form C.
    private static func composed(_ text: String) -> [Unicode.Scalar] {
        #if canImport(FoundationEssentials)
            Array(text._nfc)
        #else
            Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
        #endif
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isLetter: Bool { self == .lowercaseLetter || self == .otherLetter || self == .modifierLetter }
    fileprivate var isMark: Bool { self == .nonspacingMark || self == .spacingMark || self == .enclosingMark }
}
