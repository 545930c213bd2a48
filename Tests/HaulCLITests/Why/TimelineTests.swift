import HaulCore
import Testing

@testable import HaulCLI

@Suite struct TimelineTests {
    private static let plain = Style(unicode: false, colour: false)

    private func record(seconds: Double, slot: Double, _ slots: [[Int64]], first: Int = 0) -> TransferRecord {
        var record = TransferRecord(url: "", limit: .fixed(1))
        record.seconds = seconds
        record.slotSeconds = slot
        for (index, bytes) in slots.enumerated() {
            var connection = ConnectionRecord(id: index, host: "", began: Double(first) * slot)
            connection.firstSlot = first
            connection.slots = bytes
            record.connections.append(connection)
        }
        return record
    }

    @Test(arguments: 1...64, [1, 2, 7, 32, 64])
    func itIsNeverWiderThanAskedAndAllLinesAreAsWide(slots: Int, width: Int) {
        let record = record(seconds: Double(slots), slot: 1, [Array(repeating: 5, count: slots), [1]])
        let timeline = Timeline(record, width: width)
        #expect(timeline.cells <= width && timeline.cells >= 1)
        for connection in record.connections {
            #expect(timeline.line(connection, style: Self.plain).count == timeline.cells)
        }
    }

    @Test func theFastestStretchOfAllConnectionsIsTheHighest() {
        let record = record(seconds: 4, slot: 1, [[1, 2, 4, 8], [16, 0, 1, 16]])
        let timeline = Timeline(record, width: 32)
        #expect(timeline.line(record.connections[0], style: Self.plain) == "..:=")
        #expect(timeline.line(record.connections[1], style: Self.plain) == "#_.#")
        #expect(timeline.line(record.connections[1], style: Style(unicode: true, colour: false)) == "█·▁█")
    }

    @Test func beforeItsRequestAndAfterItsEndAConnectionIsBlank() {
        var record = record(seconds: 6, slot: 1, [[8, 8]], first: 2)
        record.connections[0].ended = 4.5
        let timeline = Timeline(record, width: 32)
        #expect(timeline.line(record.connections[0], style: Self.plain) == "  ##_ ")
    }

    @Test func recordsThatFitNothingTrapNothing() {
        for seconds in [0, 1e-9, 1e12] {
            for first in [0, 64] {
                let record = record(seconds: seconds, slot: 0.25, [Array(repeating: 1 << 53, count: 64)], first: first)
                let timeline = Timeline(record, width: 32)
                #expect(timeline.line(record.connections[0], style: Self.plain).count == timeline.cells)
            }
        }
    }
}
