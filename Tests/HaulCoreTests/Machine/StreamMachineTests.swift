import HaulCore
import HaulTestData
import Testing

@Suite("The machine of a stream")
struct StreamMachineTests {
    private static let window: Int64 = 16 << 20

    private func driver(total: Int64, connections: Int, etag: String? = "\"v1\"") throws -> MachineDriver {
        var driver = try MachineDriver(connections: .fixed(connections))
        var configuration = driver.machine.configuration
        configuration.streamWindow = Self.window
        driver.machine = DownloadMachine(configuration)
        try driver.start(total: total, etag: etag)
        return driver
    }

    private func accept(_ plan: FetchPlan, total: Int64, _ driver: inout MachineDriver) {
        let facts = ResponseFacts(
            offset: plan.position, end: plan.end, total: total, validators: Validators(etag: "\"v1\""),
            servesRanges: true)
        driver.give(.head(fetch: plan.id, .take(facts)))
    }

    @Test("whatever ends when, only what has room is asked for, and all of it comes", arguments: 1...8, [1, 3, 6])
    func model(seed: Int, connections: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let total: Int64 = 150 << 20
        var driver = try driver(total: total, connections: connections)
        let first = try #require(driver.running.first).id
        var consumed: Int64 = 0
        var steps = 0
        while driver.machine.phase == .transferring, steps < 10_000 {
            steps += 1
            for plan in driver.running where plan.id != first {
                #expect(try #require(plan.end) <= consumed + Self.window || connections == 1)
            }
            if Bool.random(using: &random) || driver.running.isEmpty {
                // The receiver takes some of what is there.
                consumed += Int64.random(in: 0...(driver.machine.map.contiguousPrefix - consumed), using: &random)
                driver.give(.consumed(consumed))
                #expect(
                    !driver.running.isEmpty || consumed < driver.machine.map.contiguousPrefix
                        || driver.machine.phase != .transferring)
            } else if let plan = driver.running.randomElement(using: &random) {
                // A connection comes as far as there is room, and ends there or goes on.
                let end = driver.machine.map.end(of: plan.segment ?? 0) ?? total
                let reach = min(end, consumed + Self.window)
                driver.now += .milliseconds(100)
                if reach == end {
                    accept(plan, total: total, &driver)
                    driver.give(.ended(fetch: plan.id, position: end, .complete))
                } else {
                    driver.give(.tick([FetchSample(id: plan.id, position: reach, received: reach, isHeldBack: true)]))
                }
            }
        }
        #expect(driver.machine.phase == .verifying)
        #expect(driver.machine.map.segments.count < 200)
    }

    @Test("each tick tells how far it has come, without a checksum, too")
    func contiguousPrefix() throws {
        var driver = try driver(total: 1 << 30, connections: 1)
        let plan = try #require(driver.running.first)
        for received: Int64 in [1, 5000] {
            driver.give(.tick([FetchSample(id: plan.id, position: received, received: received, isHeldBack: false)]))
            #expect(driver.contiguousPrefix == received)
        }
    }

    @Test("a connection that breaks while there is no room is no failure, and asked for again when there is some")
    func waiting() throws {
        var driver = try driver(total: 1 << 30, connections: 1)
        var consumed: Int64 = 0
        for _ in 0..<20 {
            let plan = try #require(driver.running.first)
            let full = consumed + Self.window
            driver.give(.tick([FetchSample(id: plan.id, position: full, received: full, isHeldBack: true)]))
            driver.give(.ended(fetch: plan.id, position: full, .broken(DownloadError(.connectionFailed, "x"))))
            driver.pass(.seconds(5))
            #expect(driver.running.isEmpty && driver.waits.isEmpty)
            consumed += Self.window / 2
            driver.give(.consumed(consumed))
            #expect(driver.running.map(\.position) == [full])
        }
        #expect(driver.failure == nil)
    }

    @Test("what was handed out can't be begun again", arguments: [true, false])
    func changed(hasBytes: Bool) throws {
        var driver = try driver(total: 1 << 20, connections: 1)
        let plan = try #require(driver.running.first)
        driver.give(.ended(fetch: plan.id, position: hasBytes ? 300 << 10 : 0, .differs))
        driver.pass(.seconds(1))
        #expect(driver.failure?.code == nil || hasBytes)
        if hasBytes {
            driver.give(.closed)
            #expect(driver.failure?.code == .sourceChanged)
        } else {
            #expect(driver.running.map(\.position) == [0])
        }
    }

    @Test("without a strong validator one connection is used, even with a checksum")
    func weak() throws {
        var driver = try MachineDriver(connections: .fixed(4)) {
            $0.checksum = try? Checksum(.md5, hex: String(repeating: "0", count: 32))
        }
        var configuration = driver.machine.configuration
        configuration.streamWindow = Self.window
        driver.machine = DownloadMachine(configuration)
        try driver.start(total: 1 << 30, etag: nil)
        #expect(driver.running.count == 1)
    }
}
