import HaulCore

@testable import HaulCLI

/// Records of gets that might have been.
enum WhySample {
    /// A download over so many connections, each in turn with another end.
    static func transfer(_ connections: Int, seconds: Double = 8, hosts: Int = 1) -> TransferRecord {
        var record = TransferRecord(url: "https://example.org/big.iso", limit: .automatic(limit: 6))
        record.seconds = seconds
        record.isOver = true
        record.totalBytes = 64 << 20
        record.times.receiving = seconds
        record.slotSeconds = seconds / 32
        for number in 1...max(1, connections) {
            var connection = ConnectionRecord(id: number, host: "mirror\(number % hosts).example.org", began: 0)
            connection.responded = 0.05
            connection.ended = seconds
            connection.end = ConnectionEnd.allCases[(number - 1) % ConnectionEnd.allCases.count]
            connection.status = connection.end == .refused ? 503 : nil
            connection.slots = (0..<32).map { Int64($0) << 15 }
            connection.bytes = connection.slots.reduce(0, +)
            record.connections.append(connection)
            record.receivedBytes += connection.bytes
        }
        record.paces = [
            PaceRecord(connections: 1, seconds: 1, bytes: 3 << 20),
            PaceRecord(connections: 6, seconds: 7, bytes: 126 << 20),
        ]
        return record
    }

    /// A get of downloads with those records.
    static func get(_ records: [TransferRecord], process: Int32 = 4711, began: Int64 = 1_700_000_000_000) -> GetRecord {
        var get = GetRecord(process: process, began: began, updated: began + 8000, jobs: 3)
        get.isOver = true
        get.seconds = 8
        get.downloads = records.enumerated().map { index, record in
            GetRecord.Entry(id: index + 1, name: "big.iso", record: record)
        }
        return get
    }
}
