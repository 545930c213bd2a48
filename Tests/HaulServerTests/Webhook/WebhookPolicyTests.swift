import HaulCore
import HaulServer
import HaulTestData
import HaulTesting
import Testing

@Suite("What becomes of a webhook's message")
struct WebhookPolicyTests {
    private let policy = WebhookPolicy()

    private func verdict(_ response: WebhookPolicy.Answer, attempt: Int = 1, seed: UInt64 = 1) -> WebhookPolicy.Verdict
    {
        var random = SeededGenerator(seed: seed)
        return policy.verdict(on: response, attempt: attempt, now: 1_700_000_000, using: &random)
    }

    @Test("2xx is success, 408, 425, 429 and 5xx may pass, all else is the last word", arguments: 100..<700)
    func statuses(code: Int) {
        for attempt in 1...6 {
            let verdict = verdict(.status(code), attempt: attempt)
            switch (code, verdict) {
            case (200..<300, .delivered): break
            case (408, .again), (425, .again), (429, .again), (500..., .again): #expect(attempt <= 4)
            case (408, .givenUp), (425, .givenUp), (429, .givenUp), (500..., .givenUp): #expect(attempt > 4)
            case (300..<400, .givenUp(let reason)): #expect(reason.contains("redirects are not followed"))
            case (100..<200, .givenUp(let reason)), (400..<500, .givenUp(let reason)):
                #expect(reason.contains("\(code)"))
            case _: Issue.record("\(code), attempt \(attempt): \(verdict)")
            }
        }
    }

    @Test("The waits double, by half more or less; then it is given up with the reason")
    func waits() {
        for attempt in 1...4 {
            for seed in 0..<50 as Range<UInt64> {
                guard case .again(let wait) = verdict(.none("why"), attempt: attempt, seed: seed) else {
                    Issue.record("given up")
                    continue
                }
                let mean = Duration.seconds(1 << attempt)
                #expect(wait >= mean / 2 && wait <= mean * 1.5)
            }
        }
        #expect(verdict(.none("why"), attempt: 5) == .givenUp("why"))
        #expect(verdict(.none("why"), attempt: .max) == .givenUp("why"))
    }

    @Test(
        "Retry-After counts where it asks for more, up to two minutes",
        arguments: [("60", 60), ("99999999999999999999", 120), ("Tue, 14 Nov 2023 22:14:00 GMT", 40)])
    func asked(text: String, seconds: Int64) {
        #expect(verdict(.status(503, retryAfter: text)) == .again(after: .seconds(seconds)))
    }

    @Test("A Retry-After that asks for less, or is none, changes nothing", arguments: ["0", "-1", "soon", ""])
    func askedInVain(text: String) {
        #expect(verdict(.status(503, retryAfter: text)) == verdict(.status(503)))
    }
}
