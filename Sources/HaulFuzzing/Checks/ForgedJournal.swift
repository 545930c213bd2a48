import HaulFiles

/// Makes journals with valid check values and arbitrary fields.
///
/// The input consists of the fields covered by the check values, without gaps: flags (4 bytes), six words of 8 bytes, four
/// lengths of 2 bytes; the number of bytes of text (1 byte) and the text; then three words for each slot. Missing input counts
/// as zero.
enum ForgedJournal {
    /// Returns the journal's bytes.
    static func bytes(from input: [UInt8]) -> [UInt8] {
        var input = input[...]
        var bytes = Array("HAULPART".utf8)
        bytes += word(UInt64(JournalHeader.version) | UInt64(truncatingIfNeeded: take(4, &input)) << 32)
        let nonce = take(8, &input)
        bytes += word(nonce)
        for _ in 0..<5 { bytes += word(take(8, &input)) }
        bytes += word(take(8, &input))
        let count = Int(take(1, &input))
        bytes += input.prefix(count)
        input = input.dropFirst(count)
        bytes += repeatElement(0, count: JournalHeader.byteCount - 8 - bytes.count)
        bytes += word(check(bytes, seed: 0))
        for index in 0..<UInt64(64) where !input.isEmpty {
            var slot = word(index)
            for _ in 0..<3 { slot += word(take(8, &input)) }
            let value = check(slot, seed: nonce)
            bytes += slot + [UInt8](repeating: 0, count: 24) + word(value)
        }
        return bytes
    }

    private static func take(_ count: Int, _ input: inout ArraySlice<UInt8>) -> UInt64 {
        defer { input = input.dropFirst(count) }
        return input.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func word(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    private static func check(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
        var check = CheckValue(seed: seed)
        for start in stride(from: 0, to: bytes.count, by: 8) {
            check.add(bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        return check.value
    }
}
