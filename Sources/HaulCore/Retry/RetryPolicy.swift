/// The rules for repeating failed attempts: exponential backoff with jitter, and a limit that is reset by progress.
package struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of retries in a row without progress.
    package var limit: Int
    /// The limit for a server that can't be reached and has not responded before in this run; nil means `limit`.
    ///
    /// Waiting does not correct a misspelt name or a wrong port.
    package var unreachableLimit: Int? = 1
    /// The mean of the first wait.
    package var base: Duration = .milliseconds(500)
    /// The maximum of the mean wait.
    package var cap: Duration = .seconds(30)
    /// A constant wait before each attempt, instead of exponential backoff.
    package var wait: Duration?

    /// Makes a policy.
    package init(limit: Int) { self.limit = max(0, limit) }

    /// Returns the wait before retry `attempt` (1, 2, …), or nil if no retry is left.
    ///
    /// The backoff is multiplied by a random factor from 0.5 to 1.5, so that many clients do not return at the same
    /// instant.
    ///
    /// - Parameter isUnreachable: True if no connection was made to a server that has never responded in this run.
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

    /// The number of new bytes that counts as progress for any file size.
    package static let progressBytes: Int64 = 64 << 10

    /// Returns true if an attempt with this number of new bytes counts as progress: 64 KiB, or 1 % of the file.
    ///
    /// Without this minimum, a server that sends a few bytes and closes each connection would be retried for ever,
    /// without a pause.
    package static func isProgress(_ newBytes: Int64, of total: Int64?) -> Bool {
        guard newBytes > 0 else { return false }
        if newBytes >= progressBytes { return true }
        // There are fewer than 64 KiB, so the product can't overflow.
        return total.map { newBytes * 100 >= $0 } ?? false
    }
}

/// The `Retry-After` header (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The maximum wait before a server is asked again, in seconds, whatever it requested.
    package static let maxBackoff: Int64 = 86_400

    /// Returns the number of seconds that the server asks to wait, from 0 to `cap`; nil if the value is neither a
    /// number nor a date.
    ///
    /// A past date means 0; a number too large for an integer means `cap`.
    ///
    /// - Parameter now: The current time in seconds since 1970.
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
