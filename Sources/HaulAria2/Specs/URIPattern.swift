/// aria2's patterns in URIs (`--parameterized-uri`): `{a,b}` expands to each of these words, `[1-20:2]` to each of
/// these numbers, `[a-f]` to each of these letters.
package enum URIPattern {
    /// The maximum number of URIs for one pattern.
    package static let maximum = 10_000

    /// Returns the URIs of a pattern, in order.
    ///
    /// - Returns: Nil if the pattern is invalid, or has too many URIs.
    package static func expand(_ pattern: String) -> [String]? {
        var results = [""]
        var rest = Array(pattern.unicodeScalars)[...]
        while let scalar = rest.first {
            let words: [String]
            if scalar == "{" || scalar == "[" {
                guard let end = rest.firstIndex(of: scalar == "{" ? "}" : "]") else { return nil }
                let inner = text(rest[(rest.startIndex + 1)..<end])
                rest = rest[(end + 1)...]
                guard let found = scalar == "{" ? choices(inner) : sequence(inner) else { return nil }
                words = found
            } else {
                let plain = rest.prefix { $0 != "{" && $0 != "[" }
                rest = rest[plain.endIndex...]
                words = [text(plain)]
            }
            guard !words.isEmpty, results.count <= maximum / words.count else { return nil }
            results = results.flatMap { start in words.map { start + $0 } }
        }
        return results
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func choices(_ inner: String) -> [String]? {
        let words = inner.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return inner.isEmpty ? nil : words
    }

    private static func sequence(_ inner: String) -> [String]? {
        let halves = inner.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count) else { return nil }
        let step = halves.count == 2 ? Int(halves[1]) : 1
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let step, step > 0, ends.count == 2 else { return nil }
        return numbers(ends[0], ends[1], step) ?? letters(ends[0], ends[1], step)
    }

    /// Returns the numbers of a range, padded with zeros to the width of the first one.
    private static func numbers(_ first: String, _ last: String, _ step: Int) -> [String]? {
        guard (first + last).utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            max(first.utf8.count, last.utf8.count) <= 12, step < 1 << 40, let start = Int(first), let end = Int(last),
            start <= end, (end - start) / step < maximum
        else { return nil }
        return stride(from: start, through: end, by: step).map { number in
            let digits = String(number)
            return String(repeating: "0", count: max(0, first.utf8.count - digits.utf8.count)) + digits
        }
    }

    private static func letters(_ first: String, _ last: String, _ step: Int) -> [String]? {
        guard first.utf8.count == 1, last.utf8.count == 1, let start = first.utf8.first, let end = last.utf8.first,
            start <= end, [start, end].allSatisfy({ (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        return stride(from: Int(start), through: Int(end), by: min(step, 256)).map {
            String(Character(Unicode.Scalar(UInt8($0))))
        }
    }
}
