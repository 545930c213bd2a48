import HaulCore
import HaulTestData
import Testing

@Suite("A file that a digest follows is fetched in order")
struct ContiguousPrefixTests {
    private static let total: Int64 = 1 << 30
    private static let checksum = String(repeating: "0", count: 64)

    private func driver(checked: Bool, connections: ConnectionLimit = .fixed(4)) throws -> MachineDriver {
        var driver = try MachineDriver(connections: connections) {
            if checked { $0.checksum = try? Checksum(.sha256, hex: Self.checksum) }
        }
        try driver.start(total: Self.total)
        return driver
    }

    private func accept(_ plan: FetchPlan, _ driver: inout MachineDriver) {
        let facts = ResponseFacts(
            offset: plan.ask.offset, end: plan.end, total: Self.total, validators: Validators(etag: "\"v1\""),
            servesRanges: true)
        driver.give(.head(fetch: plan.id, .take(facts)))
    }

    @Test("four connections begin close together, each with a portion; without a digest with a quarter each")
    func beginning() throws {
        let portion = Self.total / 4 / 32
        let starts = try driver(checked: true).running.map(\.position)
        #expect(starts.count == 4)
        for (index, start) in starts.enumerated() { #expect(abs(start - Int64(index) * portion) <= 16 << 10) }
        let plain = try driver(checked: false).running.map(\.position).sorted()
        #expect(try #require(plain.last) > Self.total / 2)
    }

    @Test(
        "whoever ends when, all of it comes, and what is missing first is always under way", arguments: 1...8,
        [2, 4, 7])
    func model(seed: Int, connections: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var driver = try driver(checked: true, connections: .fixed(connections))
        var requests = 1
        while driver.machine.phase == .transferring, requests < 1000 {
            requests += 1
            let plan = try #require(driver.running.randomElement(using: &random))
            driver.now += .milliseconds(5)
            accept(plan, &driver)
            driver.complete(plan)
            if let first = driver.machine.map.unfinished.first {
                #expect(driver.running.contains { ($0.segment ?? 0) == first.id })
            }
        }
        #expect(driver.machine.phase == .verifying)
        #expect(driver.machine.map.contiguousPrefix == Self.total)
        #expect(requests <= connections * 40)
    }

    @Test("the digest hears of a portion as soon as it has come")
    func reports() throws {
        var driver = try driver(checked: true)
        let first = driver.running[0]
        accept(driver.running[1], &driver)
        let end = try #require(driver.machine.map.end(of: 0))
        var generator = SeededGenerator(seed: 1)
        let effects = driver.machine.handle(
            .ended(fetch: first.id, position: end, .complete), now: driver.now, using: &generator)
        #expect(effects.contains(.digest(.contiguousPrefix(end))))
    }

    @Test(
        "parts are as large as they come where many requests, and late ones, may do harm",
        arguments: [
            { $0.url = "http://host/file?Expires=60" },
            { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] },
        ] as [@Sendable (inout DownloadSpec) -> Void])
    func large(change: @Sendable (inout DownloadSpec) -> Void) throws {
        var driver = try MachineDriver(connections: .fixed(4)) {
            $0.checksum = try? Checksum(.sha256, hex: Self.checksum)
            change(&$0)
        }
        try driver.start(total: Self.total)
        #expect(try #require(driver.running.map(\.position).max()) >= Self.total / 2)
    }

    @Test("they are, too, once two connections were asked for what the first one had by then")
    func overrun() throws {
        var driver = try driver(checked: true, connections: .fixed(2))
        let first = driver.running[0]
        var farthest: Int64 = 0
        for _ in 0..<2 {
            let newcomer = try #require(driver.running.last)
            #expect(newcomer.position - farthest < Self.total / 8)
            farthest = newcomer.position + 1
            driver.now += .milliseconds(100)
            let sample = FetchSample(id: first.id, position: farthest, received: farthest, isHeldBack: false)
            let effects = driver.give(.tick([sample]))
            #expect(effects.contains(.network(.cancel(newcomer.id))))
            driver.give(.ended(fetch: newcomer.id, position: newcomer.position, .cancelled))
        }
        #expect(try #require(driver.running.last).position > Self.total / 3)
    }

    @Test("a slow file is not asked for in portions any more, after the first ones")
    func slow() throws {
        var driver = try driver(checked: true)
        for second in 1...5 {
            driver.now = .seconds(second)
            let samples = driver.running.map {
                let position = $0.position + Int64(second) << 20
                return FetchSample(id: $0.id, position: position, received: Int64(second) << 20, isHeldBack: false)
            }
            driver.give(.tick(samples))
        }
        let plan = driver.running[1]
        accept(plan, &driver)
        driver.complete(plan)
        let next = try #require(driver.running.last)
        #expect(try #require(next.end) == Self.total)
    }

    @Test("a stream keeps to its window, whatever its checksum")
    func stream() throws {
        var driver = try MachineDriver(connections: .fixed(4)) {
            $0.checksum = try? Checksum(.sha256, hex: Self.checksum)
        }
        let configuration = driver.machine.configuration.streaming(window: 16 << 20)
        driver.machine = DownloadMachine(configuration)
        try driver.start(total: Self.total)
        #expect(driver.running.allSatisfy { ($0.end ?? 0) <= 16 << 20 || $0.position == 0 })
    }
}
