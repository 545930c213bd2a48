import HaulTestData

extension SeededGenerator {
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
