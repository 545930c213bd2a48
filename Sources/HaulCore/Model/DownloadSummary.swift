/// How many downloads stand where, and what they do together.
public struct DownloadSummary: Hashable, Sendable, Codable {
    /// How many are in each state; a state that none is in is missing.
    public var counts: [DownloadState.Kind: Int]
    /// Bytes per second over all that run.
    public var speed: Double
    /// Connections at work over all that run.
    public var connections: Int
    /// Whether something is going on that a person should see: on after 1.0 s of work, off after 0.17 s without.
    public var isActive: Bool

    /// Makes a summary.
    public init(
        counts: [DownloadState.Kind: Int] = [:], speed: Double = 0, connections: Int = 0, isActive: Bool = false
    ) {
        self.counts = counts
        self.speed = speed
        self.connections = connections
        self.isActive = isActive
    }

    /// How many are in a state.
    public subscript(kind: DownloadState.Kind) -> Int { counts[kind] ?? 0 }

    /// Both together; the whole is active where one of them is.
    public static func + (first: DownloadSummary, second: DownloadSummary) -> DownloadSummary {
        DownloadSummary(
            counts: first.counts.merging(second.counts, uniquingKeysWith: +), speed: first.speed + second.speed,
            connections: first.connections + second.connections, isActive: first.isActive || second.isActive)
    }
}
