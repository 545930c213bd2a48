import Testing

@testable import HaulCore

@Suite("A connection that freezes while others deliver")
struct StragglerTests {
    /// Two connections with responses; the second is the one that freezes.
    private static func start() throws -> (MachineDriver, frozen: FetchPlan) {
        var driver = try MachineDriver(connections: .fixed(2))
        try driver.start(total: 64 << 20)
        let frozen = driver.running[1]
        let facts = ResponseFacts(offset: frozen.position, end: nil, total: 64 << 20, servesRanges: true)
        driver.give(.head(fetch: frozen.id, .take(facts)))
        return (driver, frozen)
    }

    @Test("is given up after half a second, and another one goes on where it was", arguments: [false, true])
    func frozen(isHeldBack: Bool) throws {
        var (driver, frozen) = try Self.start()
        var position: Int64 = 0
        var cancelled: Duration?
        while cancelled == nil, driver.now < .seconds(3) {
            driver.now += .milliseconds(100)
            position += 200_000
            let effects = driver.give(
                .tick([
                    FetchSample(id: 1, position: position, received: position, isHeldBack: isHeldBack),
                    FetchSample(id: frozen.id, position: frozen.position, received: 0, isHeldBack: false),
                ]))
            if effects.contains(.network(.cancel(frozen.id))) { cancelled = driver.now }
        }
        // While Haul itself holds connections back, as for a rate limit, silence says nothing.
        guard !isHeldBack else { return #expect(cancelled == nil) }
        #expect(try #require(cancelled) <= .milliseconds(700))
        driver.give(.ended(fetch: frozen.id, position: frozen.position, .cancelled))
        let next = try #require(driver.running.first { $0.id > frozen.id })
        #expect(next.position == frozen.position)
        #expect(driver.failure == nil)
    }

    @Test("one that has delivered something: the bytes before the place where it was given up are compared")
    func compares() throws {
        var (driver, frozen) = try Self.start()
        let reached = frozen.position + 300_000
        var position: Int64 = 0
        for _ in 0..<30 {
            driver.now += .milliseconds(100)
            position += 200_000
            let effects = driver.give(
                .tick([
                    FetchSample(id: 1, position: position, received: position, isHeldBack: false),
                    FetchSample(id: frozen.id, position: reached, received: 300_000, isHeldBack: false),
                ]))
            if effects.contains(.network(.cancel(frozen.id))) { break }
        }
        driver.give(.ended(fetch: frozen.id, position: reached, .cancelled))
        let next = try #require(driver.running.first { $0.id > frozen.id && $0.position == reached })
        #expect(next.ask.offset == reached - 65_536)
    }
}
