import HaulCore
import HaulTestData
import Testing

@Suite("The last remains, and what a second fetch of them may cost")
struct TailPolicyTests {
    static let total: Int64 = 100 << 20

    static func candidate(_ bytes: Int64, speed: Double = 0, silence: Duration = .zero) -> TailPolicy.Candidate {
        TailPolicy.Candidate(
            fetch: 1, segment: 0, remain: ByteRange(from: 1 << 20, to: (1 << 20) + bytes), speed: speed,
            silence: silence)
    }

    static func next(_ candidates: TailPolicy.Candidate..., total: Int64 = total) -> TailPolicy.Work? {
        TailPolicy().next(candidates, peers: [4e6, 5e6, 6e6], latency: .milliseconds(20), total: total)
    }

    @Test("2 % of the file, 4 MiB at most")
    func budget() {
        #expect(TailPolicy.budget(total: 1 << 20) == (1 << 20) / 50)
        #expect(TailPolicy.budget(total: 1 << 40) == 4 << 20)
        #expect(TailPolicy.budget(total: -1) == 0 && TailPolicy.budget(total: .max) == 4 << 20)
    }

    @Test("only where half the time is gained, and more than a tenth of a second", arguments: [100, 1000, 10_000])
    func optimum(kilobytes: Int64) {
        let bytes = kilobytes * 100
        let fresh = 0.02 + Double(bytes) / 5e6
        for factor in [0.5, 1.0, 1.9, 2.1, 5] {
            // A wait of `factor` times what a second fetch takes, by slowness or by silence.
            let wait = fresh * factor + 0.1
            let expected: TailPolicy.Work? = factor > 2 ? .backup(fetch: 1) : nil
            #expect(Self.next(Self.candidate(bytes, speed: Double(bytes) / wait)) == expected)
            #expect(Self.next(Self.candidate(bytes, speed: 9e9, silence: .seconds(wait))) == expected)
            #expect(Self.next(Self.candidate(bytes, silence: .seconds(wait))) == expected)
        }
    }

    @Test("the one that would take longest comes first, and nothing is done about what is complete")
    func order() {
        var other = Self.candidate(300_000, speed: 10_000)
        other.fetch = 2
        #expect(Self.next(Self.candidate(300_000, speed: 20_000), other) == .backup(fetch: 2))
        #expect(Self.next(Self.candidate(0, silence: .seconds(60))) == nil)
        #expect(Self.next() == nil)
    }

    @Test("a remain larger than the budget is cut: its later part is taken over", arguments: [1, 600_000, 3_000_000])
    func cut(total: Int64) {
        let candidate = Self.candidate(400_000, silence: .seconds(9))
        let left = TailPolicy.budget(total: total)
        guard left > 0 else { return #expect(Self.next(candidate, total: total) == nil) }
        guard case .takeOver(segment: 0, let offset)? = Self.next(candidate, total: total) else {
            Issue.record("nothing is taken over")
            return
        }
        #expect(offset > candidate.remain.lowerBound && offset - candidate.remain.lowerBound <= left)
    }

    @Test("whatever happens, no more comes twice than the budget", arguments: 0..<50)
    func neverMore(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let total = Int64.random(in: 0...(400 << 20), using: &generator)
        var policy = TailPolicy()
        var running: [Int: Int64] = [:]
        for fetch in 1...200 {
            let bytes = Int64.random(in: 1...(512 << 10), using: &generator)
            let candidates = [Self.candidate(bytes, silence: .seconds(60))]
            if case .backup? = policy.next(candidates, peers: [], latency: .zero, total: total) {
                #expect(bytes <= policy.left(total: total))
                policy.begin(fetch, bytes: bytes)
                running[fetch] = bytes
            }
            guard Bool.random(using: &generator), let ended = running.keys.min(), let maximum = running[ended] else {
                continue
            }
            running[ended] = nil
            policy.end(ended, repeated: Int64.random(in: -1...(maximum * 2), using: &generator), failed: false)
            policy.end(ended, repeated: maximum, failed: true)
            #expect(policy.repeatedBytes <= TailPolicy.budget(total: total))
        }
    }

    @Test("second fetches that do no good need more patience each time, and come to an end")
    func failures() {
        var policy = TailPolicy()
        var needed: [Int] = []
        for fetch in 1...10 {
            let tenths = (1...600).first { tenth in
                let candidates = [Self.candidate(1000, silence: .milliseconds(100 * tenth))]
                return policy.next(candidates, peers: [5e6], latency: .zero, total: Self.total) != nil
            }
            guard let tenths else { break }
            needed.append(tenths)
            policy.begin(fetch, bytes: 1000)
            policy.end(fetch, repeated: 0, failed: true)
        }
        #expect(needed.count == 4 && needed == needed.sorted() && needed.first != needed.last)
    }

    @Test("what ended connections brought counts when nobody is left to compare with")
    func memory() {
        var policy = TailPolicy()
        let slow = [Self.candidate(300_000, speed: 100_000)]
        #expect(policy.next(slow, peers: [], latency: .zero, total: Self.total) == nil)
        for _ in 0..<20 { policy.didBring(5_000_000, in: .seconds(1)) }
        policy.didBring(1000, in: .seconds(1))
        policy.didBring(1 << 20, in: .zero)
        #expect(policy.next(slow, peers: [], latency: .zero, total: Self.total) == .backup(fetch: 1))
    }
}
