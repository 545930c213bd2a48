/// A 64-bit check value against damage and mix-ups; not against an adversary.
///
/// It takes eight bytes at a time. Each step maps states one to one, so two inputs that differ in one word never have
/// the same value.
package struct CheckValue {
    private var state: UInt64

    /// Begins with a seed, so that the same bytes in another journal or another slot have another value.
    package init(seed: UInt64) {
        state = seed ^ 0xcbf2_9ce4_8422_2325
        mix()
    }

    /// Takes the next eight bytes.
    package mutating func add(_ word: UInt64) {
        state ^= word
        mix()
    }

    /// The value so far.
    package var value: UInt64 {
        var last = self
        last.mix()
        return last.state
    }

    /// A multiplication by an odd number and a shifted exclusive or: both can be undone.
    private mutating func mix() {
        state = state &* 0x9e37_79b9_7f4a_7c15
        state ^= state >> 29
    }
}
