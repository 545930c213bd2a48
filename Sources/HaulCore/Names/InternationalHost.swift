#if canImport(FoundationEssentials)
    @_spi(_Unicode) import Swift
#else
    import Foundation
#endif

/// Converts host names beyond ASCII to their DNS form: `bücher.example` becomes `xn--bcher-kva.example`.
///
/// Applies lower case, NFC and Punycode, which is the result of UTS 46 (nontransitional) for the names that people
/// register. Rejects anything that UTS 46 would map to something else (full-width letters, ligatures, invisible
/// characters): credentials reach the wrong host if two programs read a host differently.
enum InternationalHost {
    /// Returns the name in ASCII, or nil if it is not UTF-8 or has a character that is not allowed in host names.
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

    /// Returns true for the dots of UTS 46: the full stop and its Chinese and Japanese forms.
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
    }

    /// Returns true if a label can be converted (RFC 5891, section 4.2.3, and UTS 46, section 4.1).
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
        // Case folding changes these two; UTS 46 (nontransitional) keeps them.
        if scalar == "ß" || scalar == "ς" { return true }
        let category = scalar.properties.generalCategory
        return (category.isLetter || category.isMark || category == .decimalNumber)
            && !scalar.properties.changesWhenNFKCCaseFolded
    }

    /// Returns the scalars in normalization form C.
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

/// Punycode (RFC 3492): Unicode encoded in letters, digits and hyphens.
enum Punycode {
    private static let base = 36
    private static let minimum = 1
    private static let maximum = 26

    /// Returns the encoded form, without a prefix, or nil if it is too long for a DNS label.
    static func encode(_ scalars: some Collection<Unicode.Scalar>) -> [UInt8]? {
        guard scalars.count <= 63 else { return nil }
        var output = scalars.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias, handled) = (128, 0, 72, basic)
        // Section 6.3: the code points in ascending order, each as the distance from the position of the previous one.
        // With at most 63 scalars of 21 bits each, no sum comes near the limits of Int.
        while handled < scalars.count {
            let smallest = scalars.lazy.map { Int($0.value) }.filter { $0 >= next }.min() ?? next
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for scalar in scalars {
                let value = Int(scalar.value)
                if value < next { delta += 1 }
                guard value == next else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return output.count <= 59 ? output : nil
    }

    /// Appends a number as a variable-length integer (RFC 3492, section 3.3).
    private static func append(_ number: Int, bias: Int, to output: inout [UInt8]) {
        var (rest, position) = (number, base)
        while true {
            let threshold = min(max(position - bias, minimum), maximum)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? Int(UInt8(ascii: "a")) + value : Int(UInt8(ascii: "0")) + value - 26)
    }

    /// Adapts the bias (section 6.1).
    private static func adapted(_ number: Int, count: Int, isFirst: Bool) -> Int {
        var (delta, bias) = (isFirst ? number / 700 : number / 2, 0)
        delta += delta / count
        while delta > (base - minimum) * maximum / 2 {
            delta /= base - minimum
            bias += base
        }
        return bias + (base - minimum + 1) * delta / (delta + 38)
    }
}
