/// Makes texts that parsers of foreign bytes must survive; the same seed makes the same texts (SplitMix64).
struct FuzzText: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Bytes without any order, repaired to text.
    mutating func noise() -> String {
        let bytes = (0..<Int.random(in: 0...80, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A few pieces in a row: much nearer to what a parser takes than noise.
    mutating func mixture(of pieces: [String]) -> String {
        let count = Int.random(in: 0...12, using: &self)
        return (0..<count).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }

    /// A right text with a few bytes replaced, taken out or doubled.
    mutating func mutation(of text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.remove(at: index)
            default: bytes.insert(bytes[index], at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
