/// How long to wait before the next try: exponential back-off with full jitter, a limit that resets on progress.
package struct RetryPolicy: Hashable, Sendable {
    /// How many tries in a row may fail without a new byte.
    package var limit: Int
    /// The mean of the first wait.
    package var base: Duration = .milliseconds(500)
    /// The longest wait.
    package var cap: Duration = .seconds(30)

    /// Makes a policy.
    package init(limit: Int) { self.limit = max(0, limit) }

    /// The wait before try `attempt` (1, 2, …), or nil where no try is left.
    ///
    /// Half of it is fixed, the other half chance, so that many clients do not come back at one instant.
    package func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
        guard attempt <= limit else { return nil }
        let factor = Double(1 << min(max(attempt - 1, 0), 20))
        let seconds = min(base.seconds * factor, cap.seconds)
        return .seconds(seconds * (0.5 + Double.random(in: 0..<1, using: &generator)))
    }
}
