import HaulCore
import Testing

@Suite("What a host grants to all downloads")
struct HostGovernorTests {
    private static func governor(_ connections: [Int], refusedAt active: Int? = nil) -> HostGovernor {
        var governor = HostGovernor()
        for (user, count) in connections.enumerated() { governor.note(count, of: user) }
        if let active { governor.refused(active: active, now: .zero, retryAfter: nil) }
        return governor
    }

    private static func allowances(_ governor: HostGovernor, _ users: Int, at now: Duration = .seconds(1)) -> [Int] {
        (0..<users).map { governor.allowance(of: $0, now: now) }
    }

    @Test("nothing was refused: no limit")
    func open() {
        #expect(Self.allowances(Self.governor([6, 6, 6]), 3) == [.max, .max, .max])
    }

    @Test("a download that is alone is its own governor's business")
    func alone() {
        #expect(Self.allowances(Self.governor([4], refusedAt: 4), 1) == [.max])
    }

    @Test("a limit is shared fairly, the first having the rest", arguments: 1...12, 2...6)
    func shared(ceiling: Int, users: Int) {
        // Everybody would like more than there is.
        let governor = Self.governor(Array(repeating: 12, count: users), refusedAt: ceiling)
        let shares = Self.allowances(governor, users)
        #expect(shares.reduce(0, +) == ceiling)
        #expect(shares == shares.sorted(by: >))
        #expect((shares.first ?? 0) - (shares.last ?? 0) <= 1)
    }

    @Test("what one does not use the others may")
    func left() {
        #expect(Self.allowances(Self.governor([1, 3, 3], refusedAt: 8), 3) == [3, 4, 4])
    }

    @Test("more downloads than connections: the later ones wait until one ends")
    func wait() {
        var governor = Self.governor([1, 1, 0], refusedAt: 2)
        #expect(Self.allowances(governor, 3) == [1, 1, 0])
        governor.leave(0)
        #expect(governor.allowance(of: 2, now: .seconds(1)) == 1)
    }

    @Test("it is lifted after 10 s, then later and later; a burst counts once")
    func lifted() {
        var governor = Self.governor([2, 2], refusedAt: 4)
        governor.refused(active: 3, now: .seconds(1), retryAfter: nil)
        #expect(governor.allowance(of: 0, now: .seconds(10)) == 2)
        #expect(governor.allowance(of: 0, now: .seconds(11)) == .max)
        governor.refused(active: 4, now: .seconds(11), retryAfter: nil)
        #expect(governor.allowance(of: 0, now: .seconds(30)) == 2)
        #expect(governor.allowance(of: 0, now: .seconds(31)) == .max)
        for number in 1...20 {
            governor.refused(active: 4, now: .seconds(1_000 * number), retryAfter: nil)
        }
        #expect(governor.allowance(of: 0, now: .seconds(20_599)) == 2)
        #expect(governor.allowance(of: 0, now: .seconds(20_600)) == .max)
    }

    @Test("Retry-After holds at least so long")
    func retryAfter() {
        var governor = Self.governor([1, 1])
        governor.refused(active: 2, now: .zero, retryAfter: .seconds(3_600))
        #expect(governor.allowance(of: 1, now: .seconds(3_599)) == 1)
        #expect(governor.allowance(of: 1, now: .seconds(3_600)) == .max)
    }

    @Test("who shares it, and what paid, is remembered")
    func memory() {
        var governor = Self.governor([1, 0])
        #expect(!governor.isShared(with: 0) && governor.isShared(with: 1) && governor.isShared(with: 7))
        #expect(governor.paying == nil)
        governor.learn(paying: 4)
        governor.leave(0)
        governor.leave(1)
        #expect(governor.paying == 4 && governor.active == 0)
    }
}
