/// When a failed attempt is repeated: exponential backoff with jitter, and a limit that starts again after progress.
package struct RetryPolicy: Hashable, Sendable {
    /// The number of attempts in a row that may fail without progress.
    package var limit: Int
    /// The same for a server that can't be reached and has not answered before in this run; nil: `limit`.
    ///
    /// A misspelt name or a wrong port does not get better by waiting.
    package var unreachableLimit: Int? = 1
    /// The mean of the first wait.
    package var base: Duration = .milliseconds(500)
    /// The longest wait.
    package var cap: Duration = .seconds(30)
    /// The same wait before each attempt, instead of one that grows.
    package var wait: Duration?

    /// Makes a policy.
    package init(limit: Int) { self.limit = max(0, limit) }

    /// Returns the wait before attempt `attempt` (1, 2, …), or nil if no attempt is left.
    ///
    /// One half is fixed, the other half random, so that many clients do not return at the same instant.
    ///
    /// - Parameter isUnreachable: Whether no connection was made to a server that has never answered in this run.
    package func delay(
        attempt: Int, isUnreachable: Bool = false, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        let limit = isUnreachable ? min(limit, unreachableLimit ?? limit) : limit
        guard attempt <= limit else { return nil }
        if let wait { return wait }
        let factor = Double(1 << min(max(attempt - 1, 0), 20))
        let seconds = min(base.seconds * factor, cap.seconds)
        return .seconds(seconds * (0.5 + Double.random(in: 0..<1, using: &generator)))
    }

    /// The number of new bytes that are progress whatever the size of the file.
    package static let progressBytes: Int64 = 64 << 10

    /// Returns whether an attempt that brought this number of new bytes counts as progress: 64 KiB, or 1 % of the file.
    ///
    /// A server that sends a few bytes and closes each connection would otherwise be asked for ever, without a pause.
    package static func isProgress(_ newBytes: Int64, of total: Int64?) -> Bool {
        guard newBytes > 0 else { return false }
        if newBytes >= progressBytes { return true }
        // Fewer than 64 KiB: the product can't overflow.
        return total.map { newBytes * 100 >= $0 } ?? false
    }
}

/// The `Retry-After` header (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest wait before a server is asked again, in seconds, whatever it asked for.
    package static let maxBackoff: Int64 = 86_400

    /// How many seconds the server asks to wait, from 0 to `cap`; nil where the value is neither a number nor a date.
    ///
    /// A date that has passed means now; a number too large for any integer means `cap`.
    ///
    /// - Parameter now: the time of day in seconds since 1970.
    package static func delay(_ value: String, now: Int64, cap: Int64 = 31_536_000) -> Int64? {
        let cap = max(0, cap)
        let digits = Array(value.utf8)[...].trimmingOptionalSpace
        if !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) {
            return min(cap, Int64(String(decoding: digits, as: UTF8.self)) ?? cap)
        }
        guard let date = HTTPDate.parse(value, now: now) else { return nil }
        guard date > now else { return 0 }
        let (wait, overflow) = date.subtractingReportingOverflow(now)
        return overflow ? cap : min(cap, wait)
    }
}
