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
