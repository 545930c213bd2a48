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
