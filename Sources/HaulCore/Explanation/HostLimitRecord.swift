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
