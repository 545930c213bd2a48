/// What one connection of a run did: one request, from its sending to the end of its answer.
///
/// Times are seconds since the run began.
public struct ConnectionRecord: Hashable, Sendable, Codable, Identifiable {
    /// Its number within the run, in the order of sending.
    public var id: Int
    /// The host that was asked.
    public var host: String
    /// When it was sent.
    public var began: Double
    /// When the answer's head came; nil before, and where none came.
    public var responded: Double?
    /// When it ended; nil while it goes on.
    public var ended: Double?
    /// Bytes received, compared ones included.
    public var bytes: Int64 = 0
    /// Seconds for which Haul's own rate limit held it back.
    public var heldBack: Double = 0
    /// How it ended; nil while it goes on.
    public var end: ConnectionEnd?
    /// The answer's status, where that is why nothing came of it.
    public var status: Int?
    /// What kind of failure broke it.
    public var error: DownloadError.Code?
    /// The slot of `TransferRecord.slotSeconds` that `slots` begins with.
    public var firstSlot = 0
    /// Bytes received in each slot of time, for a timeline.
    public var slots: [Int64] = []

    /// Makes the record of a request that has just been sent.
    public init(id: Int, host: String, began: Double) {
        self.id = id
        self.host = host
        self.began = began
    }
}

/// How a connection's part in a run ended.
public enum ConnectionEnd: String, Hashable, Sendable, Codable, CaseIterable {
    /// All that was asked of it came.
    case complete
    /// A part of its range was taken over by another connection, or it brought what was wanted.
    case enough
    /// The answer led to another URL.
    case redirected
    /// The server refused: see `ConnectionRecord.status`.
    case refused
    /// The answer was not what was asked for, and not used.
    case unusable
    /// No byte came for as long as is allowed.
    case stalled
    /// It was far slower than its fellows, or silent: a new one took its place.
    case replaced
    /// It was one too many: fewer connections did as well.
    case surplus
    /// Another download of the host had none, and the host allows no more.
    case yielded
    /// The run did not need it any more, or was stopped.
    case stopped
    /// The connection or the answer broke.
    case broken
    /// Writing to the file failed.
    case fileFailed
}

/// What the host's limit of connections cost a run, known from refusals of this run, an earlier one or another one.
public struct HostLimitRecord: Hashable, Sendable, Codable {
    /// The connections that the host allows to all downloads together.
    public var limit = 0
    /// The most that this run had of them while it had work for more.
    public var connections = 0
    /// Seconds for which it had none.
    public var waited = 0.0
    /// Seconds for which it had some, and work for more.
    public var short = 0.0

    /// Makes a record of nothing.
    public init() {}

    func counting(_ shortage: DownloadMachine.Shortage, _ seconds: Double) -> HostLimitRecord {
        var record = self
        record.limit = shortage.limit
        record.connections = max(connections, shortage.connections)
        if shortage.connections == 0 { record.waited += seconds } else { record.short += seconds }
        return record
    }
}
