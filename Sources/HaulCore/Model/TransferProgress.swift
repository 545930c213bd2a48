/// The progress of a download, as one consistent value.
public struct TransferProgress: Hashable, Sendable, Codable {
    /// The number of bytes of the file received so far, including earlier sessions.
    public var fileBytes: Int64
    /// The number of bytes received in this session.
    public var sessionBytes: Int64
    /// The size of the file; nil if the server does not send it.
    public var totalBytes: Int64?
    /// The current speed in bytes per second, smoothed.
    public var speed: Double
    /// The mean speed of the session in bytes per second.
    public var averageSpeed: Double
    /// The estimated number of seconds left at the current speed; nil if the size or the speed is unknown.
    public var secondsLeft: Double?
    /// The number of active connections.
    public var connections: Int

    /// Creates a progress value.
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

    /// The fraction received, 0 to 1; nil if the size is unknown.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        guard totalBytes > 0 else { return 1 }
        return min(1, max(0, Double(fileBytes) / Double(totalBytes)))
    }
}
