import HaulCore

/// A run as it might have been, told in a few numbers, of which a record is made.
struct RecordBuilder {
    var record: TransferRecord

    /// A run of ten seconds in which bytes came all the time.
    init(limit: ConnectionLimit = .automatic(limit: 6), receiving: Double = 10) {
        record = TransferRecord(url: "https://host/file", limit: limit)
        record.isOver = true
        record.totalBytes = 1 << 30
        record.times.receiving = receiving
    }

    /// So many connections brought so much a second each, for so long.
    func pace(_ connections: Int, each: Double, seconds: Double) -> RecordBuilder {
        with { record in
            let bytes = Int64(each * Double(connections) * seconds)
            record.paces.append(PaceRecord(connections: connections, seconds: seconds, bytes: bytes))
            record.receivedBytes += bytes
        }
    }

    /// So many connections ended like that.
    func ended(_ end: ConnectionEnd, _ count: Int = 1) -> RecordBuilder {
        with { record in
            for _ in 0..<count {
                var connection = ConnectionRecord(id: record.connections.count + 1, host: "host", began: 0)
                connection.responded = end == .refused ? nil : 0.1
                connection.ended = 1
                connection.end = end
                record.connections.append(connection)
            }
        }
    }

    /// Connections that received data at these speeds all the time.
    func connections(_ speeds: [Double]) -> RecordBuilder {
        with { record in
            for speed in speeds {
                var connection = ConnectionRecord(id: record.connections.count + 1, host: "host", began: 0)
                connection.responded = 0
                connection.bytes = Int64(speed * record.times.total)
                record.connections.append(connection)
            }
        }
    }

    func with(_ change: (inout TransferRecord) -> Void) -> RecordBuilder {
        var copy = self
        change(&copy.record)
        copy.record.seconds = copy.record.times.total
        return copy
    }

    var explanation: Explanation { Explanation(record) }

    /// The names of the causes, dearest first.
    var causes: [String] { explanation.factors.map(\.name) }

    /// The sentences, dearest first.
    var sentences: [String] { explanation.factors.map(\.description) }
}

extension LimitingFactor {
    /// The name of the cause.
    var name: String {
        switch cause {
        case .perConnection: "perConnection"
        case .likelyPerConnection: "likelyPerConnection"
        case .connectionLimit: "connectionLimit"
        case .total: "total"
        case .server: "server"
        case .refusals: "refusals"
        case .single: "single"
        case .rateLimit: "rateLimit"
        case .latency: "latency"
        case .hostLimit: "hostLimit"
        case .serverAsked: "serverAsked"
        case .retries: "retries"
        case .stalls: "stalls"
        case .disk: "disk"
        case .processor: "processor"
        case .processorQuota: "processorQuota"
        case .processorWait: "processorWait"
        case .verifying: "verifying"
        case .files: "files"
        case .proxy: "proxy"
        }
    }
}
