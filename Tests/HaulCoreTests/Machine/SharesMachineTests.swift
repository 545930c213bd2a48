import Testing

@testable import HaulCore

@Suite("The machine: connections go to the sources that make the best use of them")
struct SharesMachineTests {
    private static func driver(
        connections: Int = 4, priority: Int = 1, _ change: (inout DownloadSpec) -> Void = { _ in }
    ) throws -> MachineDriver {
        var driver = try SeveralSourcesTests.driver(connections: connections, priorities: [priority]) { spec in
            spec.checksum = SeveralSourcesTests.checksum
            change(&spec)
        }
        try driver.start(total: 1 << 30)
        return driver
    }

    /// Lets the sources deliver so many bytes per connection and tenth of a second.
    private static func deliver(_ driver: inout MachineDriver, seconds: Int, _ speeds: [Int64]) {
        for _ in 0..<seconds * 10 {
            for plan in driver.running where driver.machine.fetches[plan.id]?.isAccepted == false {
                driver.accept(plan, etag: "\"v1\"")
            }
            driver.deliver { speeds[$0.source.index] }
            driver.endCancelled()
        }
    }

    private static func numbers(_ driver: MachineDriver) -> [Int] {
        [0, 1].map { id in driver.running.count { $0.source == SourceID(id) } }
    }

    @Test("a slow mirror gives its connection up, and its bytes are kept", arguments: [1, 2], [2, 3, 4, 6])
    func slowMirror(priority: Int, connections: Int) throws {
        var driver = try Self.driver(connections: connections, priority: priority)
        #expect(Self.numbers(driver) == [connections - 1, 1])
        Self.deliver(&driver, seconds: 4, [100_000, 30_000])
        #expect(Self.numbers(driver) == [connections, 0])
        #expect(driver.machine.sources[1].bytes > 0 && driver.excluded.isEmpty)
        let delivered = driver.machine.sources.ids.reduce(0) { $0 + driver.machine.sources[$1].bytes }
        #expect(driver.machine.map.written == delivered)
        let record = try #require(driver.machine.sourceRecords(now: driver.now))
        #expect(record.map(\.url) == ["http://host/file", "http://mirror1/file"] && record[0].problem == nil)
        #expect(record[1].problem?.hasPrefix("slower than other sources") == true)
    }

    @Test("a slow main source gives its connections up", arguments: [1, 2], [2, 3, 4, 6])
    func slowMain(priority: Int, connections: Int) throws {
        var driver = try Self.driver(connections: connections, priority: priority)
        Self.deliver(&driver, seconds: 6, [30_000, 100_000])
        #expect(Self.numbers(driver) == [0, connections])
        #expect(driver.machine.sources[0].bytes > 0 && driver.excluded.isEmpty)
    }

    @Test("a mirror of equal speed gets half")
    func equal() throws {
        var driver = try Self.driver()
        Self.deliver(&driver, seconds: 4, [100_000, 100_000])
        #expect(Self.numbers(driver) == [2, 2])
        #expect(try #require(driver.machine.sourceRecords(now: driver.now)).allSatisfy { $0.problem == nil })
    }

    @Test("a mirror that does not respond leaves its connection to the main source, and the reason is recorded")
    func silent() throws {
        var driver = try Self.driver()
        for tick in 0..<30 {
            for plan in driver.running
            where plan.source == 0 && driver.machine.fetches[plan.id]?.isAccepted == false {
                driver.accept(plan, etag: "\"v1\"")
            }
            driver.deliver { $0.source == 0 ? 100_000 : 0 }
            driver.endCancelled()
            if tick == 8 { #expect(Self.numbers(driver) == [3, 1]) }
        }
        #expect(Self.numbers(driver) == [4, 0])
        #expect(driver.machine.sourceRecords(now: driver.now)?[1].problem == "it did not respond in time")
    }

    @Test("a mirror that refuses connections does not keep the main source from using them")
    func refused() throws {
        var driver = try Self.driver()
        let refused = FetchEnd.unreachable(DownloadError(.connectionFailed, "connection refused"))
        let first = try #require(driver.running.first { $0.source == 1 })
        driver.give(.ended(fetch: first.id, position: 0, refused))
        #expect(Self.numbers(driver) == [4, 0])
        #expect(driver.machine.sourceRecords(now: driver.now)?[1].problem == "connection refused")
        for _ in 0..<20 where driver.excluded.isEmpty {
            Self.deliver(&driver, seconds: 1, [100_000, 0])
            if let plan = driver.running.first(where: { $0.source == 1 }) {
                driver.give(.ended(fetch: plan.id, position: plan.position, refused))
            }
        }
        #expect(driver.excluded == ["http://mirror1/file"])
        #expect(Self.numbers(driver) == [4, 0])
    }

    @Test("a mirror without validators beside a source that has some is not counted, and the reason is recorded")
    func weak() throws {
        var driver = try SeveralSourcesTests.driver()
        try driver.start(total: 1 << 30)
        driver.deliver(1 << 20)
        let proof = try #require(driver.running.first { $0.isProof })
        driver.accept(proof, etag: nil)
        driver.give(.ended(fetch: proof.id, position: proof.end ?? 0, .enough))
        for _ in 0..<20 {
            for plan in driver.running where driver.machine.fetches[plan.id]?.isAccepted == false {
                driver.accept(plan, etag: "\"v1\"")
            }
            driver.deliver()
            driver.endCancelled()
        }
        #expect(Self.numbers(driver) == [4, 0])
        let problem = driver.machine.sourceRecords(now: driver.now)?[1].problem
        #expect(problem?.hasPrefix("it sends no ETag or date") == true)
    }

    @Test("a lone source has no records of sources")
    func lone() throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: 1 << 30)
        #expect(driver.machine.sourceRecords(now: driver.now) == nil)
    }
}
