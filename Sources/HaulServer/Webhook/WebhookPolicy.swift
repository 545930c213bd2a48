package import HaulCore

/// Decides what follows an attempt to deliver a message.
///
/// Pure: time and randomness are passed in.
package struct WebhookPolicy: Hashable, Sendable {
    /// The number of consecutive attempts that may fail, and the waits between them.
    package var retry = RetryPolicy(limit: 4)
    /// The maximum time of one attempt.
    package var timeout = Duration.seconds(15)
    /// The maximum wait that a receiver can request, in seconds.
    package var maxBackoff: Int64 = 120

    /// Makes the default policy: four retries, after about 2, 4, 8 and 16 seconds.
    package init() { retry.base = .seconds(2) }

    /// The result of an attempt.
    package enum Answer: Hashable, Sendable {
        /// A status, with its `Retry-After` value.
        case status(Int, retryAfter: String? = nil)
        /// No response, for this reason (for a log).
        case none(String)
    }

    /// The consequence of a result.
    package enum Verdict: Hashable, Sendable {
        /// The message was accepted.
        case delivered
        /// The message is sent again after a wait.
        case again(after: Duration)
        /// The message is dropped, for this reason (for a log).
        case givenUp(String)
    }

    /// Returns the consequence of the response to attempt number `attempt` (1, 2, …).
    ///
    /// Any 2xx is success. No response, 408, 425, 429 and 5xx are retried; every other status is final, including
    /// redirects: messages for one origin are not sent to another.
    ///
    /// - Parameter now: The current time in seconds since 1970.
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
        guard let wait = retry.delay(attempt: attempt, using: &generator) else { return .givenUp(problem) }
        return .again(after: max(wait, .seconds(asked ?? 0)))
    }
}
