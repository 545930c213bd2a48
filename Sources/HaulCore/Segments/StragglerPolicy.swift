/// Finds the connection that holds up the others: it fell silent, or brings far less than they do.
///
/// What it leaves is asked for again over a new connection; that costs what was on its way, and no byte is kept twice. Each time
/// makes the policy twice as patient, so a server that is just like that is left in peace soon. Pure.
package struct StragglerPolicy: Hashable, Sendable {
    /// A connection at work.
    package struct Fetch: Hashable, Sendable {
        /// Its fetch.
        package var id: Int
        /// Bytes per second, smoothed.
        package var speed: Double
        /// How long no byte has come.
        package var silence: Duration
        /// How long ago it was sent.
        package var age: Duration
        /// How long its answer took.
        package var latency: Duration
        /// Bytes left of its segment.
        package var remaining: Int64
        /// Whether its answer has come.
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

    /// How many were given up.
    private var count = 0

    /// No silence shorter than this is held against a connection.
    private static let minPatience: Duration = .milliseconds(500)
    /// A connection that brings at least this part of what is usual is no laggard.
    private static let farLess = 1.0 / 8
    /// What the others bring in the time of one's patience must be worth a new connection, in bytes.
    private static let worthIt = 64.0 * 1024

    /// Makes a policy that has given up none yet.
    package init() {}

    /// The one to give up now, if any.
    ///
    /// - Parameter left: Bytes that are missing; nil: those that the fetches were asked for.
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
        // Whether it would be the last one, by far: the others could bring all that is left in half the time.
        let left = Double(left ?? fetches.reduce(0) { $0 + $1.remaining })
        let alone = Double(fetch.remaining) / max(fetch.speed, 1)
        return alone > 2 * left / speeds.reduce(0, +) + patience.seconds
    }
}
