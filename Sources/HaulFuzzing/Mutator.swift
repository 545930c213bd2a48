import HaulTestData

/// Makes inputs similar to those of a corpus; the same seed makes the same inputs.
///
/// A mutator does not replace a fuzzer, which learns from coverage: it repeats the most common mistakes of parsers in
/// every test run.
package struct Mutator: Sendable {
    private let seeds: [[UInt8]]
    private var random: SeededGenerator

    /// Makes a mutator of a corpus; without a corpus, inputs are noise.
    package init(seeds: [[UInt8]], seed: UInt64) {
        self.seeds = seeds
        random = SeededGenerator(seed: seed)
    }

    /// Returns the next input: a seed with one to four changes.
    package mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = Int.random(in: start...min(bytes.count, start + 16), using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes.replaceSubrange(start..<end, with: [])
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: end)
        case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: start)
        case 3: if start < end { bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        case 4: bytes.replaceSubrange(start..<end, with: Self.pieces.randomElement(using: &random) ?? [])
        case 5: bytes.replaceSubrange(start..., with: (seeds.randomElement(using: &random) ?? []).dropFirst(start))
        case 6: if start < end { bytes.swapAt(start, end - 1) }
        default: bytes = Array(bytes[..<start])
        }
    }

    /// Pieces that parsers often get wrong: limits of numbers, delimiters, combining marks, invalid UTF-8.
    private static let pieces: [[UInt8]] =
        [
            "0", "-1", "00", "9223372036854775807", "9223372036854775808", "18446744073709551615", "4294967296", "1e9",
            "\"", "\\", "'", "%", "%00", "%2F", "%C3%28", ";", ":", "=", ",", "/", "//", "..", "*", "@", "?", "#", "-",
            " ", "\t", "\n", "\r\n", "\0", "\u{301}", "\u{202E}", "\u{FEFF}", "\u{2028}", "\u{1F600}",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [UInt8](repeating: 0xFF, count: 8)]
}
