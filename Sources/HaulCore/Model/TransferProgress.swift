/// How far a download is, as one consistent value.
public struct TransferProgress: Hashable, Sendable, Codable {
    /// Bytes of the file that are there, those of earlier sessions included.
    public var fileBytes: Int64
    /// Bytes received in this session.
    public var sessionBytes: Int64
    /// The size of the whole file, or nil where the server does not tell.
    public var totalBytes: Int64?
    /// Bytes per second now, smoothed.
    public var speed: Double
    /// Bytes per second over the whole session.
    public var averageSpeed: Double
    /// Seconds left at the present speed, or nil where size or speed is unknown.
    public var secondsLeft: Double?
    /// Connections at work now.
    public var connections: Int

    /// Makes a progress value.
    public init(
        fileBytes: Int64 = 0, sessionBytes: Int64 = 0, totalBytes: Int64? = nil, speed: Double = 0,
        averageSpeed: Double = 0,
        secondsLeft: Double? = nil, connections: Int = 0
    ) {
        self.fileBytes = fileBytes
        self.sessionBytes = sessionBytes
        self.totalBytes = totalBytes
        self.speed = speed
        self.averageSpeed = averageSpeed
        self.secondsLeft = secondsLeft
        self.connections = connections
    }

    /// The part that is there, 0 to 1, or nil where the size is unknown.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        guard totalBytes > 0 else { return 1 }
        return min(1, max(0, Double(fileBytes) / Double(totalBytes)))
    }
}
