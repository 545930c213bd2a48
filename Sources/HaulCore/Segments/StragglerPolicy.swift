/// Finds a straggler: a connection that went silent, or is far slower than the others.
///
/// Its remaining bytes are requested again over a new connection; that wastes what was in transit, and no byte is
/// stored twice. Each time doubles the patience, so that a server that is simply like that is soon left alone.
package struct StragglerPolicy: Hashable, Sendable {
    /// An active connection.
    package struct Fetch: Hashable, Sendable {
        /// The id of its fetch.
        package var id: Int
        /// Bytes per second, smoothed.
        package var speed: Double
        /// The time since the last byte.
        package var silence: Duration
        /// The time since the request was sent.
        package var age: Duration
        /// The time that the response took.
        package var latency: Duration
        /// The missing bytes of its segment.
        package var remaining: Int64
        /// True if the response has been accepted.
        package var isAccepted: Bool

        /// Makes an entry.
        package init(
            id: Int, speed: Double, silence: Duration, age: Duration, latency: Duration, remaining: Int64,
            isAccepted: Bool = true
        ) {
            self.id = id
            self.speed = speed
            self.silence = silence
            self.age = age
            self.latency = latency
            self.remaining = remaining
            self.isAccepted = isAccepted
        }
    }

    /// The number of stragglers given up.
    private var count = 0

    /// The minimum silence before a connection is a straggler.
    private static let minPatience: Duration = .milliseconds(500)
    /// A connection that delivers at least this fraction of the typical speed is not a straggler.
    private static let farLess = 1.0 / 8
    /// The minimum number of bytes that the others deliver within the patience, to be worth a new connection.
    private static let worthIt = 64.0 * 1024

    /// Makes a policy that has not given up any connection.
    package init() {}

    /// Returns the connection to give up now, if any.
    ///
    /// - Parameter left: The number of missing bytes; nil means those of the fetches.
    package mutating func next(_ fetches: [Fetch], left: Int64? = nil) -> Int? {
        let latency = fetches.filter(\.isAccepted).map(\.latency).max() ?? .zero
        let patience = max(Self.minPatience, latency * 4) * (1 << min(count, 12))
        guard let worst = fetches.first(where: { isStraggler($0, among: fetches, left, patience) }) else { return nil }
        count += 1
        return worst.id
    }

    private func isStraggler(_ fetch: Fetch, among fetches: [Fetch], _ left: Int64?, _ patience: Duration) -> Bool {
        let peers = fetches.filter { $0.id != fetch.id && $0.isAccepted && $0.silence < Self.minPatience }
        let speeds = peers.map(\.speed).filter { $0 > 0 }.sorted()
        guard fetch.remaining > 0, !speeds.isEmpty else { return false }
        let typical = speeds[speeds.count / 2]
        guard typical * patience.seconds >= Self.worthIt else { return false }
        if fetch.silence >= (fetch.isAccepted ? patience : patience * 4) { return true }
        guard fetch.isAccepted, fetch.age >= patience * 2, fetch.speed < typical * Self.farLess else { return false }
        // True if it would finish last by far: the others could deliver everything left in half the time.
        let left = Double(left ?? fetches.reduce(0) { $0 + $1.remaining })
        let alone = Double(fetch.remaining) / max(fetch.speed, 1)
        return alone > 2 * left / speeds.reduce(0, +) + patience.seconds
    }
}
