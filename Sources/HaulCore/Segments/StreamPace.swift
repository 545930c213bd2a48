/// How much a connection is asked for at a time where digests follow the front, the offset up to which nothing is missing.
///
/// Parts as large as the file allows would leave all but the first of them to be read back and hashed when the last byte has come. Small
/// portions, taken in order, keep the front close behind what is there; but each costs a round trip. The sum of both is smallest where the
/// connections together have the square root of size, round trip and the digest's speed under way.
package struct StreamPace: Hashable, Sendable {
    /// Bytes that are asked for at a time.
    package let portion: Int64
    private let roundTrip: Duration

    /// Bytes of a SHA-256 in a second, about; its root is what counts.
    private static let digestSpeed = 1.5e9
    /// What is smaller is hashed in less time than anybody notices.
    private static let minTotal: Int64 = 64 << 20
    /// What is slower, in bytes per second, takes so long that hashing the rest of it is a thirtieth: then there are the fewest requests,
    /// all of them while the link is fresh.
    private static let minimumSpeed = digestSpeed / 30
    /// For so long the speed is not judged.
    private static let patience: Duration = .seconds(3)
    private static let minPortion: Int64 = 8 << 20
    /// No connection is asked more often than this, about.
    private static let maxPortions: Int64 = 32
    /// An answer over a new connection comes within so many round trips, also where TLS is negotiated.
    private static let roundTripsToResponse = 4.0
    /// How old what is known of a connection's position may be, in seconds.
    private static let staleness = 0.1

    /// Makes the pace of a file; nil where it may be fetched in any order as well.
    ///
    /// - Parameters:
    ///   - connections: how many fetch it.
    ///   - speed: bytes per second that they bring together.
    ///   - age: for how long it has been fetched.
    ///   - roundTrip: how long a request waits for its answer; zero where nothing is known.
    package init?(total: Int64, connections: Int, speed: Double, age: Duration, roundTrip: Duration) {
        guard total >= Self.minTotal, connections > 1, speed >= Self.minimumSpeed || age < Self.patience else {
            return nil
        }
        let underWay = (Double(total) * max(0, roundTrip.seconds) * Self.digestSpeed).squareRoot()
        let best = Int64(min(underWay, Double(total)) / Double(connections))
        portion = max(Self.minPortion, total / Int64(connections) / Self.maxPortions, best)
        self.roundTrip = roundTrip
    }

    /// How much a connection keeps that is at work already, of a given speed: it is not to be past that before another has an answer.
    package func headStart(of speed: Double) -> Int64 {
        let passed = speed * (roundTrip.seconds * Self.roundTripsToResponse + Self.staleness)
        return portion.saturatingSum(Int64(min(max(0, passed), 1e18)))
    }
}

/// How far ahead of a receiver, which takes the file in order, it may be fetched now.
///
/// Bytes are asked for only where there is room for them, a piece at a time: so a connection that got a piece never has to be held back,
/// and can be used again when it is through.
package struct StreamHorizon: Hashable, Sendable {
    /// The offset that nothing is asked for beyond.
    package var end: Int64
    /// How much is asked for at a time.
    package var piece: Int64
    /// Whether the receiver has little left to take: only then is it worth to take over what another connection was asked for.
    package var wantsMoreConnections: Bool

    /// Makes a horizon.
    package init(end: Int64, piece: Int64, wantsMoreConnections: Bool) {
        self.end = end
        self.piece = piece
        self.wantsMoreConnections = wantsMoreConnections
    }

    /// Whether there is room for what would be asked for next.
    func admits(from position: Int64, to limit: Int64?) -> Bool {
        guard position < end else { return false }
        return min(limit ?? .max, position.saturatingSum(piece)) <= end
    }

    /// How many bytes of a rest lie within.
    func clamp(_ remaining: Int64, from position: Int64) -> Int64 { max(0, min(remaining, end - position)) }
}
