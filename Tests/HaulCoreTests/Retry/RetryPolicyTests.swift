import HaulCore
import HaulTestData
import Testing

@Suite("Back-off")
struct RetryPolicyTests {
    @Test("waits double up to the cap, with chance in one half of them", arguments: 1...12)
    func growth(attempt: Int) throws {
        let policy = RetryPolicy(limit: 12)
        var generator = SeededGenerator(seed: UInt64(attempt))
        let mean = min(0.5 * Double(1 << (attempt - 1)), 30)
        for _ in 0..<100 {
            let delay = try #require(policy.delay(attempt: attempt, using: &generator)).seconds
            #expect(delay >= mean * 0.5 && delay < mean * 1.5)
        }
    }

    @Test("the limit holds, and no number traps")
    func limit() {
        var generator = SeededGenerator(seed: 1)
        #expect(RetryPolicy(limit: 0).delay(attempt: 1, using: &generator) == nil)
        #expect(RetryPolicy(limit: -3).delay(attempt: 1, using: &generator) == nil)
        #expect(RetryPolicy(limit: 5).delay(attempt: 6, using: &generator) == nil)
        #expect(RetryPolicy(limit: .max).delay(attempt: .max, using: &generator) != nil)
    }

    @Test("a server that nobody has reached has its own limit, never a higher one", arguments: [0, 1, 5])
    func unreachable(limit: Int) {
        var generator = SeededGenerator(seed: 1)
        var policy = RetryPolicy(limit: limit)
        #expect((policy.delay(attempt: 1, isUnreachable: true, using: &generator) == nil) == (limit < 1))
        #expect(policy.delay(attempt: 2, isUnreachable: true, using: &generator) == nil)
        policy.unreachableLimit = nil
        #expect((policy.delay(attempt: 5, isUnreachable: true, using: &generator) == nil) == (limit < 5))
    }

    @Test(
        "progress is 64 KiB or 1 % of the file",
        arguments: [
            (0, nil, false), (0, 0, false), (1, nil, false), (65_535, nil, false), (65_536, nil, true),
            (1, 100, true), (1, 101, false), (1, 1, true), (10, 1000, true), (9, 1000, false),
            (65_535, 6_553_500, true), (65_535, 6_553_501, false), (65_536, .max, true), (.max, .max, true),
            (-1, 100, false),
        ] as [(Int64, Int64?, Bool)])
    func progress(newBytes: Int64, total: Int64?, isProgress: Bool) {
        #expect(RetryPolicy.isProgress(newBytes, of: total) == isProgress)
    }
}

@Suite("RetryAfter: RFC 9110, section 10.2.3")
struct RetryAfterTests {
    private static let now: Int64 = 784_111_777

    @Test(
        "seconds and dates",
        arguments: [
            ("0", 0), ("120", 120), (" 7\t", 7), ("007", 7), ("3600", 3600), ("31536000", 31_536_000),
            ("31536001", 31_536_000),
            ("99999999999999999999999", 31_536_000),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:49:38 GMT", 1),
            ("Sun, 06 Nov 1994 08:49:36 GMT", 0),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:59:37 1994", 600),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 31_536_000),
            ("Sat, 01 Jan 0000 00:00:00 GMT", 0),
        ] as [(String, Int64)])
    func delays(text: String, expected: Int64) {
        #expect(RetryAfter.delay(text, now: Self.now) == expected)
    }

    @Test(
        "nonsense",
        arguments: ["", " ", "-1", "+1", "1.5", "1s", "1 2", "soon", "٣", "0x10", "1\u{0}", "Sun, 06 Nov 1994"])
    func nonsense(text: String) {
        #expect(RetryAfter.delay(text, now: Self.now) == nil)
    }

    @Test("the cap holds, and a negative one means none", arguments: [-1, 0, 1, 60, Int64.max])
    func cap(cap: Int64) {
        #expect(RetryAfter.delay("30", now: Self.now, cap: cap) == min(30, max(0, cap)))
        #expect(RetryAfter.delay("99999999999999999999", now: Self.now, cap: cap) == max(0, cap))
        #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:49:47 GMT", now: Self.now, cap: cap) == min(10, max(0, cap)))
    }

    @Test("no text and no time of day crashes it", arguments: 1...10 as ClosedRange<UInt64>)
    func survivesAnything(seed: UInt64) {
        var fuzz = FuzzText(seed: seed)
        for _ in 0..<500 {
            for text in [fuzz.noise(), fuzz.mixture(of: ["9", "0", " ", "-"]), "Sun, 06 Nov 1994 08:49:37 GMT"] {
                for now in [.min, 0, .max, Int64.random(in: .min ... .max, using: &fuzz)] {
                    let delay = RetryAfter.delay(text, now: now)
                    #expect((0...31_536_000).contains(delay ?? 0))
                }
            }
        }
    }
}
