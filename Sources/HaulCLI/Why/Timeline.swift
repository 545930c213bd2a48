package import HaulCore

/// Draws the throughput of connections over time: one character per span of time, the higher the faster.
package struct Timeline: Sendable {
    private static let blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let signs = [".", ":", "-", "=", "+", "*", "%", "#"]

    private let record: TransferRecord
    /// The number of slots in one character.
    private let slotsPerCell: Int
    /// The maximum of bytes that any connection received within one character.
    private let maximum: Int64

    /// Makes the timelines of a run, no wider than `width`.
    package init(_ record: TransferRecord, width: Int) {
        self.record = record
        let slots = min(Double(TransferRecord.maxSlots), max(1, (record.seconds / record.slotSeconds).rounded(.up)))
        slotsPerCell = max(1, (Int(slots) + width - 1) / max(1, width))
        cells = (Int(slots) + slotsPerCell - 1) / slotsPerCell
        var maximum: Int64 = 0
        for connection in record.connections {
            maximum = max(maximum, Self.bytes(connection, cells: cells, slotsPerCell).max() ?? 0)
        }
        self.maximum = maximum
    }

    /// The width of each timeline in characters.
    package let cells: Int

    /// Returns the timeline of a connection, `cells` wide.
    package func line(_ connection: ConnectionRecord, style: Style) -> String {
        let bytes = Self.bytes(connection, cells: cells, slotsPerCell)
        let (first, last) = (cell(connection.began), cell(connection.ended ?? record.seconds))
        let (levels, idle) = style.unicode ? (Self.blocks, "·") : (Self.signs, "_")
        return (0..<cells).map { index in
            guard bytes[index] > 0, maximum > 0 else { return (first...max(first, last)).contains(index) ? idle : " " }
            let level = Int((Double(bytes[index]) / Double(maximum) * Double(levels.count)).rounded(.up)) - 1
            return levels[min(levels.count - 1, max(0, level))]
        }
        .joined()
    }

    private func cell(_ time: Double) -> Int {
        let cell = time / record.slotSeconds / Double(slotsPerCell)
        return Int(min(Double(cells - 1), max(0, cell)))
    }

    private static func bytes(_ connection: ConnectionRecord, cells: Int, _ slotsPerCell: Int) -> [Int64] {
        var bytes = [Int64](repeating: 0, count: cells)
        for (index, count) in connection.slots.enumerated() {
            bytes[min(cells - 1, (connection.firstSlot + index) / slotsPerCell)] += count
        }
        return bytes
    }
}
