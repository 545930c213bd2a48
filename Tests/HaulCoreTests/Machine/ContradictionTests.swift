import HaulCore
import Testing

@Suite("Sources whose responses contradict each other, noticed when the file is complete")
struct ContradictionTests {
    private static let total: Int64 = 1 << 20

    /// A download from two sources whose first attempt has ended with a contradiction.
    private static func contradicted() throws -> MachineDriver {
        var driver = try MachineDriver { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
        try driver.start(total: total)
        driver.complete(try #require(driver.running.first))
        driver.give(.verified(hex: nil, joinsDiffer: true))
        return driver
    }

    /// Lets the running attempt bring the whole file, and returns its source.
    private static func fetch(_ driver: inout MachineDriver) throws -> SourceID {
        let plan = try #require(driver.running.first)
        let facts = ResponseFacts(
            offset: 0, end: total, total: total, validators: Validators(etag: "\"v\(plan.source.index)\""),
            servesRanges: true)
        driver.give(.head(fetch: plan.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.complete(plan)
        return plan.source
    }

    @Test("a source that contradicts itself is excluded, and the next one is tried alone")
    func nextSource() throws {
        var driver = try Self.contradicted()
        #expect(driver.events.contains(.notice(.sourceChanged)))
        let first = try Self.fetch(&driver)
        driver.give(.verified(hex: nil, joinsDiffer: true))
        #expect(driver.excluded == ["http://host/file"])
        let second = try Self.fetch(&driver)
        #expect(first == 0 && second == 1)
        #expect(driver.give(.verified(hex: nil)) == [.content(.publish(total: Self.total, modified: nil))])
    }

    @Test("if all of them do, whatever they send, the download ends")
    func allSources() throws {
        var driver = try Self.contradicted()
        var order: [SourceID] = []
        while !driver.running.isEmpty, order.count < 20 {
            order.append(try Self.fetch(&driver))
            driver.give(.verified(hex: nil, joinsDiffer: true))
        }
        driver.give(.closed)
        // Each alone, then together as they send the whole file, then each alone again.
        #expect(order == [0, 1, 0, 0, 1])
        #expect(driver.failure?.code == .sourceChanged)
    }
}
