/// The amount that a connection requests at a time if digests follow the front, the offset up to which nothing is
/// missing.
///
/// With parts as large as possible, all but the first would have to be read back and hashed after the last byte has
/// arrived. Small portions, requested in order, keep the front close to the received bytes, but each costs a round
/// trip. The sum of both is smallest if the number of bytes in transit over all connections is the square root of size
/// × round trip × hashing speed.
package struct StreamPace: Hashable, Sendable {
    /// The number of bytes per request.
    package let portion: Int64
    private let roundTrip: Duration

    /// The approximate SHA-256 speed in bytes per second; only its root matters.
    private static let digestSpeed = 1.5e9
    /// Smaller files are hashed in an unnoticeable time.
    private static let minTotal: Int64 = 64 << 20
    /// Below this speed, in bytes per second, hashing the rest takes a thirtieth of the download.
    ///
    /// Then the number of requests is minimized, and all of them are sent while the link is fresh.
    private static let minimumSpeed = digestSpeed / 30
    /// The time for which the speed is not evaluated.
    private static let patience: Duration = .seconds(3)
    private static let minPortion: Int64 = 8 << 20
    /// The approximate maximum number of requests per connection.
    private static let maxPortions: Int64 = 32
    /// The number of round trips in which a response over a new connection arrives, even if TLS is negotiated.
    private static let roundTripsToResponse = 4.0
    /// The maximum age of a connection's known position, in seconds.
    private static let staleness = 0.1

    /// Makes the pace for a file; nil if it may as well be fetched in any order.
    ///
    /// - Parameters:
    ///   - connections: The number of connections.
    ///   - speed: Their total speed in bytes per second.
    ///   - age: The time since the download started.
    ///   - roundTrip: The time from request to response; zero if unknown.
    package init?(total: Int64, connections: Int, speed: Double, age: Duration, roundTrip: Duration) {
        guard total >= Self.minTotal, connections > 1, speed >= Self.minimumSpeed || age < Self.patience else {
            return nil
        }
        let underWay = (Double(total) * max(0, roundTrip.seconds) * Self.digestSpeed).squareRoot()
        let best = Int64(min(underWay, Double(total)) / Double(connections))
        portion = max(Self.minPortion, total / Int64(connections) / Self.maxPortions, best)
        self.roundTrip = roundTrip
    }

    /// Returns the number of bytes that an active connection of a given speed keeps: it must not pass them before
    /// another connection has a response.
    package func headStart(of speed: Double) -> Int64 {
        let passed = speed * (roundTrip.seconds * Self.roundTripsToResponse + Self.staleness)
        return portion.saturatingSum(Int64(min(max(0, passed), 1e18)))
    }
}

/// The limit up to which a file may be fetched now, ahead of a receiver that takes it in order.
///
/// Bytes are requested only if there is room for them, one piece at a time, so a connection never has to be held back
/// and can be reused after its piece.
package struct StreamHorizon: Hashable, Sendable {
    /// The offset beyond which nothing is requested.
    package var end: Int64
    /// The number of bytes per request.
    package var piece: Int64
    /// True if the receiver is short of bytes: only then is it worthwhile to take over what another connection was
    /// asked for.
    package var wantsMoreConnections: Bool

    /// Makes a horizon.
    package init(end: Int64, piece: Int64, wantsMoreConnections: Bool) {
        self.end = end
        self.piece = piece
        self.wantsMoreConnections = wantsMoreConnections
    }

    /// Returns true if there is room for the next request.
    func admits(from position: Int64, to limit: Int64?) -> Bool {
        guard position < end else { return false }
        return min(limit ?? .max, position.saturatingSum(piece)) <= end
    }

    /// Returns the number of remaining bytes within the horizon.
    func clamp(_ remaining: Int64, from position: Int64) -> Int64 { max(0, min(remaining, end - position)) }
}
