/// Something that held a run up, and what it cost.
public struct LimitingFactor: Hashable, Sendable, Codable {
    /// What it is.
    public var cause: Cause
    /// The part of the run's time that it cost, 0 to 1.
    public var share: Double

    /// Makes a factor.
    public init(_ cause: Cause, share: Double) {
        self.cause = cause
        self.share = share
    }

    /// What can hold a run up, with what was measured; speeds are bytes per second.
    public enum Cause: Hashable, Sendable, Codable {
        /// The server's limit per connection: so many connections brought `speed`, in proportion to their number.
        case perConnection(connections: Int, speed: Double)
        /// The limit of connections, the caller's or the default, where more would probably be faster.
        case connectionLimit(limit: Int, isDefault: Bool)
        /// The server's or the network's limit in all: `fewer` connections, where that was seen, brought about the same.
        case total(connections: Int, speed: Double, fewer: Int?)
        /// Server and network as they are: whether more connections would bring more, the run can't tell.
        case server(connections: Int, speed: Double)
        /// The server refuses more connections than these.
        case refusals(count: Int, connections: Int, status: Int?)
        /// The host's limit for all downloads together, of which this one had so many connections, after a wait for them.
        case hostLimit(limit: Int, connections: Int, waited: Double)
        /// One connection has to do.
        case single(reason: SingleConnectionReason, speed: Double)
        /// The caller's own rate limit.
        case rateLimit(speed: Double)
        /// The time that answers took to begin, for so many requests.
        case latency(seconds: Double, requests: Int)
        /// The server said when to come back.
        case serverAsked(seconds: Double, status: Int)
        /// Failed attempts, and the pauses after them.
        case retries(seconds: Double, count: Int)
        /// Connections that fell silent or became slow, `replaced` of which were given up.
        case stalls(seconds: Double, replaced: Int)
        /// Writing to the disk, so large a part of the time in which bytes came.
        case disk(writing: Double)
        /// The processor: the part that the process used of the cores that it may run on, of those that the machine has.
        case processor(used: Double, cores: Int, machineCores: Int)
        /// The CPU quota of the control group, in cores: the part that the process used of it, and the part of its periods in which
        /// the group used it up.
        case processorQuota(quota: Double, used: Double, throttled: Double?)
        /// The processor was busy with other threads: the part of the time for which the busiest thread of the process waited for one of
        /// the cores that it may run on.
        case processorWait(waited: Double, cores: Int, machineCores: Int)
        /// Computing the digest, behind the last byte.
        case verifying(seconds: Double)
        /// Opening, syncing and naming the file.
        case files(seconds: Double)
        /// A proxy, whose part can't be told from the server's.
        case proxy(host: String)
    }
}
