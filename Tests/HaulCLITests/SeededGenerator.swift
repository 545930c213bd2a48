/// SplitMix64: the same seed gives the same numbers on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Any bytes, as text; half of them from a few that matter.
    mutating func text(maximum: Int, of special: String) -> String {
        let special = Array(special.utf8)
        let bytes = (0..<Int.random(in: 0...maximum, using: &self)).map { _ in
            Bool.random(using: &self)
                ? special.randomElement(using: &self) ?? 0 : UInt8.random(in: .min ... .max, using: &self)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
