/// A hash table of fingerprints with a number from 0 to 254 for each, which takes 20 bytes for each fingerprint.
///
/// Fingerprints are digests, so their bits are their hash. It grows by half, and not at all within what was reserved.
struct FingerprintTable: Sendable {
    private var keys: [UInt128] = []
    /// The numbers plus 1; 0 for a free slot.
    private var values: [UInt8] = []
    private(set) var count = 0

    /// The number of slots for a number of fingerprints: an eighth stays free.
    private static func slots(for count: Int) -> Int { max(16, count + count / 7 + 1) }

    /// Reserves memory for a number of fingerprints.
    mutating func reserve(_ wanted: Int) {
        let slots = Self.slots(for: wanted)
        if slots > values.count { resize(slots) }
    }

    /// Returns the number of a fingerprint; nil if it is unknown.
    subscript(key: UInt128) -> UInt8? {
        guard !values.isEmpty else { return nil }
        let value = values[slot(of: key)]
        return value == 0 ? nil : value - 1
    }

    /// Sets the number of a fingerprint; returns the one before, or nil.
    mutating func update(_ value: UInt8, of key: UInt128) -> UInt8? {
        if Self.slots(for: count + 1) > values.count { resize(Self.slots(for: count + count / 2 + 1)) }
        let slot = slot(of: key)
        let before = values[slot]
        values[slot] = value + 1
        guard before == 0 else { return before - 1 }
        keys[slot] = key
        count += 1
        return nil
    }

    /// Returns the slot that has the key, or the free one for it.
    private func slot(of key: UInt128) -> Int {
        var slot = Int(UInt64(truncatingIfNeeded: key).multipliedFullWidth(by: UInt64(values.count)).high)
        while values[slot] != 0, keys[slot] != key { slot = slot + 1 == values.count ? 0 : slot + 1 }
        return slot
    }

    private mutating func resize(_ slots: Int) {
        let (oldKeys, oldValues) = (keys, values)
        keys = [UInt128](repeating: 0, count: slots)
        values = [UInt8](repeating: 0, count: slots)
        for (key, value) in zip(oldKeys, oldValues) where value != 0 {
            let slot = slot(of: key)
            (keys[slot], values[slot]) = (key, value)
        }
    }
}
