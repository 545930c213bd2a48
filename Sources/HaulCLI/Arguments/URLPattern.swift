import HaulCore

/// curl's patterns in URLs.
///
/// `{a,b}` denotes each of the words; `[1-9]`, `[01-12]` and `[0-10:2]` each of the numbers; `[a-f]` each of the
/// letters. Several patterns in one URL denote all combinations. An IPv6 address in brackets, empty brackets and braces
/// around a single word are literal; a backslash makes any brace or bracket literal. Anything else is an error, as in
/// curl.
package enum URLPattern {
    /// The maximum number of URLs from one text.
    package static let limit = 100_000

    /// The reason why a pattern is invalid.
    package struct Fault: Error, Hashable, Sendable {
        /// The message for the user.
        package let message: String
        /// The URL, with a mark below it at the position of the error; empty if there is no position, or if secrets may
        /// follow it.
        package var excerpt: [String] = []
    }

    /// Returns the URLs denoted by a text, in order: the last pattern changes first.
    ///
    /// - Throws: `Fault` for a brace or bracket that is not part of a pattern, an invalid range, or too many URLs.
    package static func expand(_ text: String) throws(Fault) -> [String] {
        guard text.utf8.contains(where: { "{}[]".utf8.contains($0) }) else { return [text] }
        var results = [""]
        for part in try parts(Array(text.unicodeScalars)) {
            guard results.count <= limit / part.count else {
                throw Fault(
                    message:
                        "\"\(URLRedaction.shown(text))\" expands to more than \(limit) URLs: use a smaller range, or a list"
                )
            }
            results = results.flatMap { start in part.map { start + $0 } }
        }
        return results
    }

    /// Splits the text into parts, each a list of at least one alternative.
    private static func parts(_ text: [Unicode.Scalar]) throws(Fault) -> [[String]] {
        var (parts, plain): ([[String]], String.UnicodeScalarView) = ([], .init())
        var index = 0
        while index < text.count {
            let scalar = text[index]
            switch scalar {
            case "\\" where index + 1 < text.count && "{}[]".unicodeScalars.contains(text[index + 1]):
                plain.append(text[index + 1])
                index += 2
                continue
            case "{", "[":
                let end = scalar == "{" ? try closingBrace(text, index) : try closingBracket(text, index)
                if let words = scalar == "{" ? choices(text[(index + 1)..<end]) : try range(text, index, end) {
                    parts += [[String(plain)], words]
                    plain = .init()
                } else {
                    plain.append(contentsOf: text[index...end])
                }
                index = end
            case "}": throw fault("unmatched close brace", text, index)
            case "]": throw fault("unmatched close bracket", text, index)
            default: plain.append(scalar)
            }
            index += 1
        }
        return parts + [[String(plain)]]
    }

    /// Returns the error at an index, with curl's wording.
    private static func fault(_ what: String, _ text: [Unicode.Scalar], _ index: Int) -> Fault {
        let message =
            "\(what) in URL position \(index + 1); for literal braces and brackets: --globoff"
        let (front, back) = (string(text[..<index]), string(text[index...]))
        // Text before an "@" may be a password; the redaction cannot recognise it if the "@" is cut off.
        guard !back.utf8.contains(UInt8(ascii: "@")) else { return Fault(message: message) }
        let (shown, before) = (URLRedaction.shown(front + back), URLRedaction.shown(front))
        let marked = before + String(text[index])
        return Fault(
            message: message,
            excerpt: [
                shown.hasPrefix(marked) ? shown : marked + "…",
                String(repeating: " ", count: TerminalText.width(before)) + "^",
            ])
    }

    /// Returns the index of the brace that closes the one at `start`.
    private static func closingBrace(_ text: [Unicode.Scalar], _ start: Int) throws(Fault) -> Int {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case "}":
                guard index > start + 1 else { throw fault("empty string within braces", text, start) }
                return index
            case "{", "[": throw fault("nested brace", text, index)
            case "]": throw fault("unexpected close bracket", text, index)
            case "\\": index += 1
            default: break
            }
            index += 1
        }
        throw fault("unmatched brace", text, start)
    }

    /// Returns the index of the bracket that closes the one at `start`.
    private static func closingBracket(_ text: [Unicode.Scalar], _ start: Int) throws(Fault) -> Int {
        guard let end = text[start...].firstIndex(of: "]") else { throw fault("unmatched bracket", text, start) }
        return end
    }

    /// Returns the words between braces, or nil if there is only one.
    private static func choices(_ text: ArraySlice<Unicode.Scalar>) -> [String]? {
        var (words, word): ([String], String.UnicodeScalarView) = ([], .init())
        var rest = text
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\" where rest.first.map { "{}[],".unicodeScalars.contains($0) } == true:
                if let next = rest.popFirst() { word.append(next) }
            case ",":
                words.append(String(word))
                word = .init()
            default: word.append(scalar)
            }
        }
        return words.isEmpty ? nil : words + [String(word)]
    }

    /// Returns the numbers or letters denoted by the brackets at two indices; nil if the brackets are literal.
    private static func range(_ text: [Unicode.Scalar], _ start: Int, _ end: Int) throws(Fault) -> [String]? {
        let inner = string(text[(start + 1)..<end])
        guard !inner.isEmpty, IPAddress(inner.prefix { $0 != "%" })?.bytes.count != 16 else { return nil }
        let halves = inner.split(separator: ":", omittingEmptySubsequences: false)
        let ends = (halves.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count), ends.count == 2, halves.count == 1 || isNumber(halves[1]),
            isNumber(ends[0]) && isNumber(ends[1]) || isLetters(ends[0], ends[1])
        else { throw fault("bad range", text, start) }
        guard let step = halves.count == 1 ? 1 : Int(halves[1]), step > 0 else {
            throw fault("bad range (the step must be 1 or more)", text, start)
        }
        guard let words = words(ends[0], ends[1], step) else {
            throw fault("bad range (it runs backwards or has more than \(limit) values)", text, start)
        }
        return words
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private static func words(_ first: Substring, _ last: Substring, _ step: Int) -> [String]? {
        if let start = Int(first), let end = Int(last) {
            guard start <= end, (end - start) / step < limit else { return nil }
            let width = first.hasPrefix("0") ? first.utf8.count : 0
            return stride(from: start, through: end, by: step).map { number in
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

    /// Returns true if both are single ASCII letters of the same case.
    private static func isLetters(_ first: Substring, _ last: Substring) -> Bool {
        guard first.utf8.count == 1, last.utf8.count == 1, let start = first.utf8.first, let end = last.utf8.first
        else {
            return false
        }
        return [0x61...0x7A, 0x41...0x5A].contains { ($0 as ClosedRange<UInt8>).contains(start) && $0.contains(end) }
    }
}
