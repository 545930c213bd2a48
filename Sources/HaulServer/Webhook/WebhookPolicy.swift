package import HaulCore

/// What becomes of a message after an attempt to deliver it: pure, time and chance being arguments.
package struct WebhookPolicy: Hashable, Sendable {
    /// How often, and with which waits, it is tried again.
    package var retries = RetryPolicy(limit: 4)
    /// How long one attempt may take.
    package var timeout = Duration.seconds(15)
    /// The longest wait that a receiver can ask for, in seconds.
    package var maxBackoff: Int64 = 120

    /// Makes the usual one: four more attempts, after about 2, 4, 8 and 16 seconds.
    package init() { retries.base = .seconds(2) }

    /// What came of an attempt.
    package enum Answer: Hashable, Sendable {
        /// A status, and what its `Retry-After` says.
        case status(Int, retryAfter: String? = nil)
        /// No answer; why, for a log.
        case none(String)
    }

    /// What follows.
    package enum Verdict: Hashable, Sendable {
        /// It was taken.
        case delivered
        /// It is sent again after a while.
        case again(after: Duration)
        /// It will never be; why, for a log.
        case givenUp(String)
    }

    /// What follows from the answer to attempt number `attempt` (1, 2, …).
    ///
    /// Any 2xx is success. No answer, 408, 425, 429 and 5xx may pass; every other status is the receiver's last word, a redirect, too: what is
    /// meant for one origin goes to no other.
    ///
    /// - Parameter now: The time of day in seconds since 1970.
    package func verdict(
        on response: Answer, attempt: Int, now: Int64, using generator: inout some RandomNumberGenerator
    ) -> Verdict {
        let (problem, asked): (String, Int64?)
        switch response {
        case .none(let reason): (problem, asked) = (reason, nil)
        case .status(let code, _) where (200..<300).contains(code): return .delivered
        case .status(let code, let retryAfter) where code == 408 || code == 425 || code == 429 || code >= 500:
            problem = "the receiver returned \(code)"
            asked = retryAfter.flatMap { RetryAfter.delay($0, now: now, cap: maxBackoff) }
        case .status(let code, _) where (300..<400).contains(code):
            return .givenUp("the receiver returned \(code); redirects are not followed")
        case .status(let code, _): return .givenUp("the receiver returned \(code)")
        }
        guard let wait = retries.delay(attempt: attempt, using: &generator) else { return .givenUp(problem) }
        return .again(after: max(wait, .seconds(asked ?? 0)))
    }
}
