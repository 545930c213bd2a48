/// The speed that a download has to reach on average.
public struct MinimumSpeed: Hashable, Sendable, Codable {
    /// Bytes per second, over all connections of the download.
    public var bytesPerSecond: Int64
    /// The time over which the average is taken, in seconds.
    public var seconds: Double

    /// Makes a minimum.
    public init(bytesPerSecond: Int64, seconds: Double) {
        (self.bytesPerSecond, self.seconds) = (bytesPerSecond, seconds)
    }

    /// The bytes that have to come in each such time.
    package var bytes: Double { Double(bytesPerSecond) * seconds }

    /// Whether both numbers make sense: a rate above 0 and a time of 1 s to a day.
    package var isValid: Bool { bytesPerSecond > 0 && (1...86_400).contains(seconds) }
}
