/// The record of one connection of a run: one request, until the end of its response.
///
/// Times are in seconds since the start of the run.
public struct ConnectionRecord: Hashable, Sendable, Codable, Identifiable {
    /// The number of the request within the run, in the order of sending.
    public var id: Int
    /// The host that the request was sent to.
    public var host: String
    /// The time when the request was sent.
    public var began: Double
    /// The time when the response head was received; nil if there is none yet.
    public var responded: Double?
    /// The time when the connection ended; nil while it is open.
    public var ended: Double?
    /// The number of bytes received, including bytes that were only compared.
    public var bytes: Int64 = 0
    /// The number of seconds during which Haul's own rate limit held it back.
    public var heldBack: Double = 0
    /// The reason why it ended; nil while it is open.
    public var end: ConnectionEnd?
    /// The status of the response, if it is the reason for the end.
    public var status: Int?
    /// The kind of error that ended it.
    public var error: DownloadError.Code?
    /// The index of the first element of `slots`, in slots of `TransferRecord.slotSeconds`.
    public var firstSlot = 0
    /// The number of bytes received in each time slot, for a timeline.
    public var slots: [Int64] = []

    /// Creates the record of a request that has just been sent.
    public init(id: Int, host: String, began: Double) {
        self.id = id
        self.host = host
        self.began = began
    }
}

/// The reasons for the end of a connection.
public enum ConnectionEnd: String, Hashable, Sendable, Codable, CaseIterable {
    /// The requested range was received completely.
    case complete
    /// Another connection took over the rest of its range, or it received all that was still needed.
    case enough
    /// The response redirected to another URL.
    case redirected
    /// The server refused: see `ConnectionRecord.status`.
    case refused
    /// The response did not fit the request and was not used.
    case unusable
    /// No byte was received within the timeout.
    case stalled
    /// It was far slower than the other connections, or stalled, and was replaced by a new one.
    case replaced
    /// It was one too many: fewer connections were as fast.
    case surplus
    /// It was slower than those of another source, or that source had not been tried yet, and got the connection.
    case moved
    /// Another download had no connection to the host, and the host allows no more.
    case yielded
    /// The run no longer needed it, or was stopped.
    case stopped
    /// The connection failed or the response was invalid.
    case broken
    /// Writing to the file failed.
    case fileFailed
}

/// The effect of the host's connection limit on a run, whether this run or another one discovered the limit.
public struct HostLimitRecord: Hashable, Sendable, Codable {
    /// The number of connections that the host allows to all downloads together.
    public var limit = 0
    /// The maximum number of connections that this run had while it could use more.
    public var connections = 0
    /// The number of seconds without any connection.
    public var waited = 0.0
    /// The number of seconds with fewer connections than the run could use.
    public var short = 0.0

    /// Creates an empty record.
    public init() {}

    func counting(_ shortage: DownloadMachine.Shortage, _ seconds: Double) -> HostLimitRecord {
        var record = self
        record.limit = shortage.limit
        record.connections = max(connections, shortage.connections)
        if shortage.connections == 0 { record.waited += seconds } else { record.short += seconds }
        return record
    }
}
