/// Detects that libcurl blocks for a transfer: it should return at once from each round of work.
struct SilentRound {
    /// The time after which it blocks.
    static let limit = Duration.seconds(2)

    private var round = 0
    private var began: ContinuousClock.Instant?

    /// Returns true if libcurl has been in this round for longer than the limit, and no byte has come meanwhile.
    mutating func isTooLong(round: Int, now: ContinuousClock.Instant) -> Bool {
        guard let began, self.round == round else {
            (self.round, began) = (round, now)
            return false
        }
        return now - began > Self.limit
    }
}
