import HaulCore
import Testing

@Suite("Connections that hold up the others")
struct StragglerPolicyTests {
    /// Some fast connections, and one of another kind, number 9.
    private static func among(
        speed: Double = 3e6, latency: Duration = .milliseconds(20), _ other: StragglerPolicy.Fetch
    ) -> [StragglerPolicy.Fetch] {
        (0..<3).map {
            StragglerPolicy.Fetch(
                id: $0, speed: speed, silence: .milliseconds(50), age: .seconds(5), latency: latency,
                remaining: 1_000_000)
        } + [other]
    }

    private static func fetch(
        speed: Double = 3e6, silence: Duration = .zero, age: Duration = .seconds(5),
        latency: Duration = .milliseconds(20), remaining: Int64 = 1_000_000, isAccepted: Bool = true
    ) -> StragglerPolicy.Fetch {
        StragglerPolicy.Fetch(
            id: 9, speed: speed, silence: silence, age: age, latency: latency, remaining: remaining,
            isAccepted: isAccepted)
    }

    @Test("one that falls silent while others deliver is given up after half a second, or four round trips")
    func silent() {
        for (latency, limit) in [(20, 500), (120, 500), (200, 800), (1000, 4000)] {
            for (silence, isGivenUp) in [(limit - 1, false), (limit, true)] {
                var policy = StragglerPolicy()
                let silent = Self.fetch(silence: .milliseconds(silence))
                let all = Self.among(latency: .milliseconds(latency), silent)
                #expect(policy.next(all) == (isGivenUp ? 9 : nil), "\(latency) \(silence)")
            }
        }
    }

    @Test("one that is far slower is given up when it would be the last one by far")
    func slow() {
        let cases: [(StragglerPolicy.Fetch, Bool)] = [
            (Self.fetch(speed: 64_000), true),
            (Self.fetch(speed: 400_000), false),
            (Self.fetch(speed: 64_000, age: .milliseconds(900)), false),
            // Too little is left for it to matter.
            (Self.fetch(speed: 64_000, remaining: 40_000), false),
            (Self.fetch(speed: 64_000, remaining: 0), false),
            (Self.fetch(speed: 0, silence: .milliseconds(100)), true),
        ]
        for (fetch, isGivenUp) in cases {
            var policy = StragglerPolicy()
            #expect(policy.next(Self.among(fetch)) == (isGivenUp ? 9 : nil), "\(fetch)")
        }
    }

    @Test("an answer that has not come has four times as long")
    func unanswered() {
        for (silence, isGivenUp) in [(1900, false), (2000, true)] {
            var policy = StragglerPolicy()
            let fetch = Self.fetch(speed: 0, silence: .milliseconds(silence), isAccepted: false)
            #expect(policy.next(Self.among(fetch)) == (isGivenUp ? 9 : nil))
        }
    }

    @Test("nobody is given up where all are slow, all are silent, or there is but one")
    func alike() {
        var policy = StragglerPolicy()
        #expect(policy.next([Self.fetch(silence: .seconds(20))]) == nil)
        #expect(policy.next([]) == nil)
        #expect(policy.next(Self.among(speed: 70_000, Self.fetch(speed: 64_000))) == nil)
        // What two modems bring in half a second is not worth a new connection.
        #expect(policy.next(Self.among(speed: 5_000, Self.fetch(silence: .milliseconds(600)))) == nil)
        let silent = (0..<4).map { id in
            StragglerPolicy.Fetch(
                id: id, speed: 3e6, silence: .seconds(3), age: .seconds(9), latency: .zero, remaining: 1_000_000)
        }
        #expect(policy.next(silent) == nil)
    }

    @Test("each time makes it twice as patient")
    func patience() {
        var policy = StragglerPolicy()
        var limits: [Int] = []
        var silence = 0
        while limits.count < 6 {
            silence += 10
            if policy.next(Self.among(Self.fetch(silence: .milliseconds(silence)))) == 9 {
                limits.append(silence)
                silence = 0
            }
        }
        #expect(limits == [500, 1000, 2000, 4000, 8000, 16000])
    }
}
