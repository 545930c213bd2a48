package import HaulCore

/// curl's patterns in URLs.
///
/// `{a,b}` stands for each of the words, `[1-9]`, `[01-12]` and `[0-10:2]` for each of the numbers, `[a-f]` for each of the letters. Several in
/// one URL stand for all combinations. Braces without a comma and brackets without a range are literal, so an IPv6 address is left alone; a
/// backslash makes any of them literal.
package enum URLPattern {
    /// The most URLs that one pattern may stand for.
    package static let limit = 100_000

    /// Returns the URLs that a text stands for, in order: the last pattern changes first.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a range that runs backwards, or too many URLs.
    package static func expand(_ text: String) throws(DownloadError) -> [String] {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }) else { return [text] }
        var results = [""]
        for part in try parts(Array(text.unicodeScalars)) {
            guard results.count <= limit / part.count else {
                throw DownloadError(
                    .invalidRequest,
                    "\"\(URLRedaction.shown(text))\" stands for more than \(limit) URLs: use a smaller range, or a list"
                )
            }
            results = results.flatMap { start in part.map { start + $0 } }
        }
        return results
    }

    /// The text taken apart; each part has at least one word.
    private static func parts(_ scalars: [Unicode.Scalar]) throws(DownloadError) -> [[String]] {
        var (parts, plain): ([[String]], String.UnicodeScalarView) = ([], .init())
        var rest = scalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.first, "{}[]".unicodeScalars.contains(next) {
                plain.append(next)
                rest.removeFirst()
            } else if let (words, after) = scalar == "{" ? choices(rest) : scalar == "[" ? try range(rest) : nil {
                parts += [[String(plain)], words]
                (plain, rest) = (.init(), after)
            } else {
                plain.append(scalar)
            }
        }
        return parts + [[String(plain)]]
    }

    /// The words up to the closing brace, or nil if the brace or a comma before it is missing.
    private static func choices(_ text: ArraySlice<Unicode.Scalar>) -> ([String], ArraySlice<Unicode.Scalar>)? {
        var (words, word): ([String], String.UnicodeScalarView) = ([], .init())
        var rest = text
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\" where rest.first.map { "{}[],".unicodeScalars.contains($0) } == true:
                if let next = rest.popFirst() { word.append(next) }
            case ",":
                words.append(String(word))
                word = .init()
            case "}": return words.isEmpty ? nil : (words + [String(word)], rest)
            case "{": return nil
            default: word.append(scalar)
            }
        }
        return nil
    }

    /// The numbers or letters up to the closing bracket; nil if it is not a range.
    private static func range(
        _ text: ArraySlice<Unicode.Scalar>
    ) throws(DownloadError) -> ([String], ArraySlice<Unicode.Scalar>)? {
        guard let end = text.firstIndex(of: "]") else { return nil }
        let inner = String(String.UnicodeScalarView(text[..<end]))
        let halves = inner.split(separator: ":", omittingEmptySubsequences: false)
        let ends = (halves.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count), ends.count == 2, halves.count == 1 || isNumber(halves[1]),
            isNumber(ends[0]) && isNumber(ends[1]) || isLetters(ends[0], ends[1])
        else { return nil }
        guard let step = halves.count == 1 ? 1 : Int(halves[1]), step > 0 else {
            throw DownloadError(.invalidRequest, "the range [\(inner)] has an invalid step: use a number from 1 on")
        }
        guard let words = words(ends[0], ends[1], step) else {
            throw DownloadError(
                .invalidRequest,
                "the range [\(inner)] runs backwards, or has more than \(limit) values: use a smaller one")
        }
        return (words, text[text.index(after: end)...])
    }

    private static func words(_ first: Substring, _ last: Substring, _ step: Int) -> [String]? {
        if let start = Int(first), let end = Int(last) {
            guard start <= end, (end - start) / step < limit else { return nil }
            let width = first.hasPrefix("0") ? first.utf8.count : 0
            return stride(from: start, through: end, by: min(step, max(1, end - start + 1))).map { number in
                let digits = String(number)
                return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
            }
        }
        guard let start = first.unicodeScalars.first, let end = last.unicodeScalars.first, !isNumber(first),
            start <= end
        else { return nil }
        return stride(from: start.value, through: end.value, by: min(step, 26)).compactMap {
            Unicode.Scalar($0).map { String(Character($0)) }
        }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether both are one ASCII letter of the same case.
    private static func isLetters(_ first: Substring, _ last: Substring) -> Bool {
        guard first.utf8.count == 1, last.utf8.count == 1, let start = first.utf8.first, let end = last.utf8.first
        else {
            return false
        }
        return [0x61...0x7A, 0x41...0x5A].contains { ($0 as ClosedRange<UInt8>).contains(start) && $0.contains(end) }
    }
}
