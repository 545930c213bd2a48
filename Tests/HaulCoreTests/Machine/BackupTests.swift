import HaulCore
import Testing

@Suite("The last remains of a frozen connection are fetched a second time")
struct BackupTests {
    static let total: Int64 = 64 << 20
    static let left: Int64 = 100_000
    static let compared: Int64 = 65_536

    /// Two connections; the second one has all of its part, the first one froze `left` bytes before the end of its own.
    static func frozen(etag: String? = "\"v1\"") throws -> (MachineDriver, Int64) {
        let checksum = try Checksum(parsing: "sha256:" + String(repeating: "0", count: 64))
        var driver = try MachineDriver(connections: .fixed(2)) { $0.checksum = etag == nil ? checksum : nil }
        try driver.start(total: total, etag: etag)
        OneUseTests.accept(driver.running[1], in: &driver)
        let position = try #require(driver.machine.map.end(of: 0)) - left
        driver.now += .milliseconds(900)
        driver.give(
            .tick(
                driver.running.map {
                    FetchSample(
                        id: $0.id, position: $0.id == 1 ? position : $0.position, received: position, isHeldBack: false)
                }))
        driver.give(.ended(fetch: 2, position: total, .complete))
        return (driver, position)
    }

    /// Waits until there is a backup, for a second at most.
    static func backup(_ driver: inout MachineDriver, _ position: Int64) throws -> FetchPlan {
        for _ in 0..<10 where driver.running.count == 1 {
            driver.now += .milliseconds(100)
            driver.give(.tick([FetchSample(id: 1, position: position, received: position, isHeldBack: false)]))
        }
        let backups = driver.running.filter { $0.isBackup }
        return try #require(backups.first)
    }

    @Test("once it has been silent for a while; what it had claimed stays its own", arguments: [0, 1, 1000, 99_999])
    func wins(claimed: Int64) throws {
        var (driver, position) = try Self.frozen()
        #expect(driver.running.count == 1, "not at once")
        let backup = try Self.backup(&driver, position)
        #expect(backup.hedge == .untilWhole(fetch: 1))
        #expect(backup.position == position && backup.end == position + Self.left)
        #expect(backup.ask.offset == position - Self.compared, "the bytes before it are compared")
        OneUseTests.accept(backup, in: &driver)
        let from = position + claimed
        let effects = driver.give(.ended(fetch: backup.id, position: position + Self.left, .won(from: from)))
        #expect(effects.contains(.network(.cancel(1))))
        #expect(driver.machine.map.isComplete == (claimed == 0))
        driver.give(.ended(fetch: 1, position: from, .cancelled))
        driver.finish()
        #expect(driver.failure == nil && driver.ends == 1)
        #expect(driver.machine.repeatedBytes == claimed + Self.compared)
    }

    @Test("the first one ends before its loss is told: what is left of it is not asked for again")
    func order() throws {
        var (driver, position) = try Self.frozen()
        let backup = try Self.backup(&driver, position)
        driver.give(.ended(fetch: 1, position: position + 10, .enough))
        #expect(driver.running.map(\.id) == [backup.id])
        driver.give(.ended(fetch: backup.id, position: position + Self.left, .won(from: position + 10)))
        #expect(driver.machine.map.isComplete)
    }

    @Test("the first one is first after all: the backup is ended, and nothing of it counts")
    func loses() throws {
        var (driver, position) = try Self.frozen()
        let backup = try Self.backup(&driver, position)
        let effects = driver.give(.ended(fetch: 1, position: position + Self.left, .enough))
        #expect(effects.contains(.network(.cancel(backup.id))))
        driver.give(.ended(fetch: backup.id, position: position + 500, .enough))
        driver.finish()
        #expect(driver.failure == nil && driver.machine.repeatedBytes == 500 + Self.compared)
    }

    @Test(
        "whatever becomes of a backup, the first fetch goes on",
        arguments: [FetchEnd.cancelled, .complete, .enough, .rejected, DownloadMachineFaultTests.cut])
    func harmless(end: FetchEnd) throws {
        var (driver, position) = try Self.frozen()
        let backup = try Self.backup(&driver, position)
        if end == .rejected { driver.give(.head(fetch: backup.id, .denied(status: 403))) }
        driver.give(.ended(fetch: backup.id, position: position, end))
        #expect(driver.running.contains { $0.id == 1 } && driver.machine.result == nil)
        #expect(driver.machine.map.segment(0)?.position == position)
    }

    @Test(
        "not while the bytes before it are still to be compared, whether it has been accepted or not",
        arguments: [true, false])
    func comparing(isAccepted: Bool) throws {
        var driver = try MachineDriver(connections: .fixed(2))
        driver.give(.begin)
        let version = KnownVersion(total: Self.total, validators: Validators(etag: "\"v1\""))
        let pieces = [Located.Piece(start: 0, position: Self.total - Self.left)]
        driver.give(.located(.resumable(path: "/tmp/f", version, pieces)))
        driver.give(.reopened)
        let first = try #require(driver.running.first)
        #expect(first.ask.offset < first.position)
        if isAccepted { OneUseTests.accept(first, in: &driver) }
        driver.pass(.seconds(5))
        #expect(driver.running.allSatisfy { !$0.isBackup })
    }

    @Test("the bytes before it differ: the first fetch is ended, and the request for the rest compares them, too")
    func differs() throws {
        var (driver, position) = try Self.frozen()
        let backup = try Self.backup(&driver, position)
        OneUseTests.accept(backup, in: &driver)
        let effects = driver.give(.ended(fetch: backup.id, position: position + Self.left, .differs))
        #expect(effects.contains(.network(.cancel(1))))
        driver.give(.ended(fetch: 1, position: position, .cancelled))
        let next = try #require(driver.running.first)
        #expect(!next.isBackup && next.position == position && next.ask.offset == position - Self.compared)
    }

    @Test("the bytes before it differ, and the first fetch has brought nothing: the next request compares them, too")
    func differsBeforeNothing() throws {
        var driver = try MachineDriver(connections: .fixed(2))
        try driver.start(total: Self.total)
        let late = try #require(driver.running.last)
        OneUseTests.accept(late, in: &driver)
        for _ in 0..<200 where !driver.running.contains(where: { $0.isBackup }) {
            // The others take over all but the last bytes of its segment.
            for plan in driver.running where plan.id != late.id {
                if plan.id != 1 { OneUseTests.accept(plan, in: &driver) }
                driver.complete(plan)
            }
            driver.now += .milliseconds(100)
            driver.give(.tick([FetchSample(id: late.id, position: late.position, received: 0, isHeldBack: false)]))
        }
        let backups = driver.running.filter { $0.isBackup }
        let backup = try #require(backups.first)
        #expect(backup.position == late.position && backup.ask.offset < late.position)
        OneUseTests.accept(backup, in: &driver)
        driver.give(.ended(fetch: backup.id, position: late.position, .differs))
        driver.give(.ended(fetch: late.id, position: late.position, .cancelled))
        let next = try #require(driver.running.first)
        #expect(next.position == late.position && next.ask.offset == late.position - Self.compared)
    }

    @Test("not without a strong validator, even where a checksum vouches for all of it")
    func weak() throws {
        var (driver, position) = try Self.frozen(etag: nil)
        for _ in 0..<20 {
            driver.now += .milliseconds(100)
            driver.give(.tick([FetchSample(id: 1, position: position, received: position, isHeldBack: false)]))
        }
        #expect(driver.running.map(\.id) == [1])
    }

    @Test("a backup that is silent, too, is given up, and another one is tried, a few times")
    func silent() throws {
        var (driver, position) = try Self.frozen()
        var backups: Set<Int> = []
        for _ in 0..<200 {
            driver.now += .milliseconds(100)
            let samples = driver.running.map {
                FetchSample(id: $0.id, position: position, received: $0.id == 1 ? position : 0, isHeldBack: false)
            }
            for effect in driver.give(.tick(samples)) {
                if case .network(.cancel(let id)) = effect {
                    driver.give(.ended(fetch: id, position: position, .cancelled))
                }
            }
            backups.formUnion(driver.running.filter { $0.isBackup }.map(\.id))
        }
        #expect(backups.count == 4 && driver.running.map(\.id) == [1])
    }
}
