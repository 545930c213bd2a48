/// A factor that slowed a run down, and its cost.
public struct LimitingFactor: Hashable, Sendable, Codable {
    /// The cause and its measurements.
    public var cause: Cause
    /// The fraction of the run's time that it cost, 0 to 1.
    public var share: Double

    /// Creates a factor.
    public init(_ cause: Cause, share: Double) {
        self.cause = cause
        self.share = share
    }

    /// The possible causes, with the measured values; speeds are in bytes per second.
    public enum Cause: Hashable, Sendable, Codable {
        /// The server's limit per connection: `connections` reached `speed`, in proportion to their number.
        case perConnection(connections: Int, speed: Double)
        /// The server's limit per connection, probably: `connections` were equally fast, together as fast as `speed`, but
        /// no other number of connections was used, to compare with.
        case likelyPerConnection(connections: Int, speed: Double)
        /// The limit of connections, the caller's or the default, if more would probably be faster.
        case connectionLimit(limit: Int, isDefault: Bool)
        /// The total limit of the server or network: `fewer` connections, if that was measured, were about as fast.
        case total(connections: Int, speed: Double, fewer: Int?)
        /// The server and the network; it is unknown if more connections would be faster.
        case server(connections: Int, speed: Double)
        /// The server refuses more than `connections` connections.
        case refusals(count: Int, connections: Int, status: Int?)
        /// The host's limit for all downloads together; this one had `connections` of it and waited `waited` seconds
        /// for them.
        case hostLimit(limit: Int, connections: Int, waited: Double)
        /// Only one connection can be used.
        case single(reason: SingleConnectionReason, speed: Double)
        /// The caller's own rate limit.
        case rateLimit(speed: Double)
        /// The time until the first byte of responses, for the number of requests.
        case latency(seconds: Double, requests: Int)
        /// The server asked for a later retry.
        case serverAsked(seconds: Double, status: Int)
        /// Failed attempts and the pauses after them.
        case retries(seconds: Double, count: Int)
        /// Connections that stalled or became slow, `replaced` of which were replaced.
        case stalls(seconds: Double, replaced: Int)
        /// Writing to the disk: its fraction of the time in which data was received.
        case disk(writing: Double)
        /// The processor: the fraction that the process used of the cores it may run on, and the number of cores of the
        /// machine.
        case processor(used: Double, cores: Int, machineCores: Int)
        /// The CPU quota of the control group, in cores; the fraction of it that the process used, and the fraction of
        /// the periods in which the group used it up.
        case processorQuota(quota: Double, used: Double, throttled: Double?)
        /// The processor was busy with other threads.
        ///
        /// `waited` is the fraction of the time for which the busiest thread of the process waited for one of the cores
        /// it may run on.
        case processorWait(waited: Double, cores: Int, machineCores: Int)
        /// Computing the checksum after the last byte.
        case verifying(seconds: Double)
        /// Opening, syncing and renaming the file.
        case files(seconds: Double)
        /// A proxy, whose effect cannot be separated from the server's.
        case proxy(host: String)
    }
}
