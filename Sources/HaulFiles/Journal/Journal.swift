package import HaulCore

/// A decoded journal: the header, and the intact slots.
package struct Journal: Sendable, Hashable {
    /// The header.
    package var header: JournalHeader
    /// The slots with a valid check value, in file order.
    package var slots: [JournalSlot]

    /// Makes a journal.
    package init(header: JournalHeader, slots: [JournalSlot]) {
        self.header = header
        self.slots = slots
    }

    /// The maximum size of a journal in bytes.
    package static let byteLimit = JournalHeader.byteCount + JournalSlot.limit * JournalSlot.byteCount

    /// Returns the journal as bytes.
    package func encoded() -> [UInt8] {
        var bytes = header.encoded()
        for (index, slot) in slots.prefix(JournalSlot.limit).enumerated() {
            bytes += slot.encoded(index: index, nonce: header.nonce)
        }
        return bytes
    }

    /// Decodes a journal from any bytes.
    ///
    /// Slots that are damaged, truncated or from another journal are dropped.
    ///
    /// - Throws: `JournalFault` if the header can't be used.
    package init(decoding bytes: [UInt8]) throws(JournalFault) {
        let header = try JournalHeader(decoding: bytes)
        let count = min(JournalSlot.limit, (bytes.count - JournalHeader.byteCount) / JournalSlot.byteCount)
        self.init(
            header: header,
            slots: (0..<count).compactMap { JournalSlot(decoding: bytes, index: $0, nonce: header.nonce) })
    }

    /// Reduces the slots to what is durable, and what else of a killed process counts.
    ///
    /// - Parameter proven: Returns the parts of a range that count, in order. Those after a gap become slots of their own.
    package mutating func settle(proven: (ByteRange) throws(FileError) -> [ByteRange] = { _ in [] })
        throws(FileError)
    {
        header.isSyncing = false
        for index in slots.indices where slots[index].written > slots[index].durable {
            let slot = slots[index]
            slots[index].written = slot.durable
            for part in try proven(ByteRange(from: slot.durable, to: slot.written)) {
                if part.lowerBound == slot.durable {
                    slots[index].written = part.upperBound
                } else {
                    slots.append(
                        JournalSlot(start: part.lowerBound, written: part.upperBound, durable: part.lowerBound))
                }
            }
        }
    }

    /// Records that all bytes that slots describe are on disk.
    mutating func makeDurable() {
        for index in slots.indices { slots[index].durable = slots[index].written }
    }

    /// Forgets what slots describe behind an offset.
    mutating func limit(to end: Int64) {
        for index in slots.indices {
            let limit = max(slots[index].start, end)
            slots[index].written = min(slots[index].written, limit)
            slots[index].durable = min(slots[index].durable, limit)
        }
    }

    /// Returns the segments that the slots describe, in order.
    ///
    /// They cover the file from 0 on without gaps or overlaps, whatever the slots contain.
    ///
    /// A slot beyond the total is dropped; the segment before it then extends further, and that range is downloaded
    /// again. If a segment was written beyond the start of the next one, those bytes count for the next one. Bytes not
    /// covered by the trust level count as missing.
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

extension Journal {
    /// Puts the journal, synced, in the place of the one that has its name; the folder is not synced.
    ///
    /// If that fails, the old one is still in place.
    func replace(in names: PartialNames, _ system: SystemCalls) throws(FileError) {
        let file = try system.open(names.newJournal, .createEmpty)
        defer { file.close() }
        do {
            let bytes = encoded()
            // Safe: a UInt8 has no padding.
            try system.write(file, unsafe bytes.span.bytes, at: 0)
            try system.syncData(file)
            try system.rename(names.newJournal, to: names.journal)
        } catch {
            try? system.unlink(names.newJournal)
            throw error
        }
    }
}
