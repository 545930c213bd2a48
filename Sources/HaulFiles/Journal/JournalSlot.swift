/// The journal's record of one segment.
///
/// Its end is not stored: it is the next larger start, or the end of the file.
package struct JournalSlot: Sendable, Hashable {
    /// The offset of the segment's first byte.
    package var start: Int64
    /// The offset up to which bytes were passed to the kernel.
    package var written: Int64
    /// The offset up to which bytes are on disk; never more than `written`.
    package var durable: Int64

    /// Makes a slot.
    package init(start: Int64, written: Int64, durable: Int64) {
        self.start = start
        self.written = written
        self.durable = durable
    }
}

extension JournalSlot {
    /// The size of a slot in the file: it divides a sector, so a disk writes a slot completely or not at all.
    package static let byteCount = 64
    /// The maximum number of slots in a journal.
    ///
    /// Further segments have no slot: their range is downloaded again after a crash, which is the only consequence.
    package static let limit = 65_536

    /// The eight words of a slot: index, start, written, durable, three zeros, check value.
    typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    /// Returns the offset of the slot with an index in the file.
    package static func offset(ofIndex index: Int) -> Int64 { Int64(JournalHeader.byteCount + index * byteCount) }

    /// Returns the slot as written, without an allocation.
    func words(index: Int, nonce: UInt64) -> Words {
        let index = UInt64(index)
        return (
            index.littleEndian, UInt64(bitPattern: start).littleEndian, UInt64(bitPattern: written).littleEndian,
            UInt64(bitPattern: durable).littleEndian, 0, 0, 0, check(index: index, nonce: nonce).littleEndian
        )
    }

    /// Returns the slot as bytes.
    package func encoded(index: Int, nonce: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        let last = check(index: UInt64(index), nonce: nonce)
        let numbers = [start, written, durable].map { UInt64(bitPattern: $0) }
        for word in [UInt64(index)] + numbers + [0, 0, 0, last] { bytes.append(word) }
        return bytes
    }

    /// Decodes the slot with an index from a whole journal; nil if its check value is wrong or its numbers are out of
    /// order.
    init?(decoding bytes: [UInt8], index: Int, nonce: UInt64) {
        let offset = JournalHeader.byteCount + index * Self.byteCount
        guard offset + Self.byteCount <= bytes.count else { return nil }
        let words = (0..<8).map { bytes.word(at: offset + 8 * $0) }
        self.init(
            start: Int64(bitPattern: words[1]), written: Int64(bitPattern: words[2]),
            durable: Int64(bitPattern: words[3]))
        guard words[0] == UInt64(index), words[4...6].allSatisfy({ $0 == 0 }) else { return nil }
        guard words[7] == check(index: UInt64(index), nonce: nonce) else { return nil }
        guard start >= 0, start <= durable, durable <= written else { return nil }
    }

    private func check(index: UInt64, nonce: UInt64) -> UInt64 {
        var check = CheckValue(seed: nonce)
        check.add(index)
        check.add(UInt64(bitPattern: start))
        check.add(UInt64(bitPattern: written))
        check.add(UInt64(bitPattern: durable))
        return check.value
    }
}

/// A 64-bit check value against damage and mix-ups, not against an adversary.
///
/// It processes eight bytes at a time. Each step is a bijection of states, so two inputs that differ in one word never
/// have the same value.
package struct CheckValue {
    private var state: UInt64

    /// Starts with a seed, so that the same bytes in another journal or slot have another value.
    package init(seed: UInt64) {
        state = seed ^ 0xcbf2_9ce4_8422_2325
        mix()
    }

    /// Adds the next eight bytes.
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

    /// Mixes the state by a multiplication by an odd number and a shifted XOR, both of which are invertible.
    private mutating func mix() {
        state = state &* 0x9e37_79b9_7f4a_7c15
        state ^= state >> 29
    }
}
