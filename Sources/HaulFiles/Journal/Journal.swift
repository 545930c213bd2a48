/// A journal as it is read: the header, and the slots that are whole.
package struct Journal: Sendable, Hashable {
    /// The header.
    package var header: JournalHeader
    /// The slots whose check value fits, in the order of the file.
    package var slots: [JournalSlot]

    /// Makes a journal.
    package init(header: JournalHeader, slots: [JournalSlot]) {
        self.header = header
        self.slots = slots
    }

    /// The longest journal that is read.
    package static let byteLimit = JournalHeader.byteCount + JournalSlot.limit * JournalSlot.byteCount

    /// The journal as bytes.
    package func encoded() -> [UInt8] {
        var bytes = header.encoded()
        for (index, slot) in slots.prefix(JournalSlot.limit).enumerated() {
            bytes += slot.encoded(index: index, nonce: header.nonce)
        }
        return bytes
    }

    /// Reads a journal, whatever the bytes are.
    ///
    /// Slots that are damaged, cut or another journal's are left out.
    ///
    /// - Throws: `JournalFault` where the header can't be used.
    package init(decoding bytes: [UInt8]) throws(JournalFault) {
        let header = try JournalHeader(decoding: bytes)
        let count = min(JournalSlot.limit, (bytes.count - JournalHeader.byteCount) / JournalSlot.byteCount)
        self.init(
            header: header,
            slots: (0..<count).compactMap { JournalSlot(decoding: bytes, index: $0, nonce: header.nonce) })
    }

    /// The segments that the slots stand for, in order.
    ///
    /// They tile the file from 0 on, whatever the slots are.
    ///
    /// A slot beyond the total is left out; then the segment before it reaches further, and that range is fetched
    /// again. Where a segment was written beyond the start of the next one, the bytes count for the next one. What the
    /// trust does not cover counts as not fetched.
    package func segments(_ trust: JournalTrust) -> [ResumedSegment] {
        let end = header.totalBytes ?? .max
        let usable = slots.filter { $0.written <= end && ($0.start < end || $0.start == 0) }
            .map { ResumedSegment(start: $0.start, position: trust == .written ? $0.written : $0.durable) }
            .sorted { ($0.start, $1.position) < ($1.start, $0.position) }
        var tiles: [ResumedSegment] = []
        if usable.first?.start != 0 { tiles.append(ResumedSegment(start: 0, position: 0)) }
        for slot in usable where tiles.last?.start != slot.start {
            guard let last = tiles.last else {
                tiles.append(slot)
                continue
            }
            tiles[tiles.count - 1].position = min(last.position, slot.start)
            tiles.append(ResumedSegment(start: slot.start, position: max(slot.position, last.position)))
        }
        return tiles
    }
}
