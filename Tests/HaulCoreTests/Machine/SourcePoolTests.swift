import Testing

@testable import HaulCore

@Suite("The pool of sources")
struct SourcePoolTests {
    /// A pool of so many sources, whose errors name their ids.
    private static func pool(_ count: Int) throws -> SourcePool {
        var spec = DownloadSpec(url: "http://host0/file", destination: .file(path: "/tmp/f"))
        spec.mirrors = (1..<count).map { DownloadSpec.Mirror(url: "http://host\($0)/file", priority: $0) }
        return SourcePool(try MachineConfiguration(spec))
    }

    private static func error(_ id: SourceID) -> DownloadError { DownloadError(.connectionFailed, "\(id.index)") }

    @Test("a source can be replaced only by one that is not excluded, in a pool of one as in any", arguments: 1...3)
    func alternatives(count: Int) throws {
        var pool = try Self.pool(count)
        #expect(pool.usable == pool.ids && pool.mayMix == (count > 1))
        for id in pool.ids {
            #expect(pool.hasAlternative(to: id) == (id.index < count - 1))
            pool.exclude(id, Self.error(id))
        }
        #expect(pool.usable == [] && pool.primaries == [])
        #expect(pool.failure == Self.error(.main))
        // What was delivered before may be of any of them.
        #expect(pool.mayMix == (count > 1))
    }

    @Test("sources that only disagreed come back first, then those that were less useful, and the failed ones never")
    func readmission() throws {
        var pool = try Self.pool(4)
        let scopes: [Source.Exclusion.Scope] = [.lasting, .disagreement, .parts, .breaks]
        for (id, scope) in zip(pool.ids, scopes) { pool.exclude(id, Self.error(id), scope) }
        pool[3].failures = 5
        pool.readmit()
        #expect(pool.usable == [1])
        let hasWhole = pool.readmitLast()
        #expect(hasWhole)
        #expect(pool.usable == [1, 2, 3])
        #expect(!pool[2].usesRanges && pool[3].failures == 0)
    }

    @Test("sources that are tried one by one are usable one at a time")
    func solo() throws {
        var pool = try Self.pool(3)
        pool.solo = pool.primaries
        #expect(pool.usable == [.main] && pool.hasAlternative(to: .main))
        pool.exclude(.main, Self.error(.main))
        pool.exclude(1, Self.error(1))
        #expect(pool.usable == [2] && !pool.hasAlternative(to: 2))
    }

    @Test("a source that exists is not added again, and hosts are counted once")
    func hosts() throws {
        var pool = try Self.pool(2)
        pool.add(try SourceURL(parsing: "http://host1/file"), priority: 9)
        #expect(pool.ids == [0, 1])
        pool.add(try SourceURL(parsing: "http://host1/other"), priority: 9, isLinked: true)
        #expect(pool.ids == [0, 1, 2] && pool.hosts.count == 2 && pool.primaries == [0, 1])
        pool.hosts[1].quota.connections = 3
        #expect(pool.quota(of: 1) == pool.quota(of: 2) && pool.quota(of: .main).connections == .max)
    }

    private static func version(_ tag: String, _ date: String?) -> KnownVersion {
        KnownVersion(total: 100, validators: Validators(etag: "\"\(tag)\"", lastModified: date))
    }

    @Test(
        "once a mirror has changed the version that it defined, another source needs the same date or tag",
        arguments: [("x", nil, true), ("x", "Mon", false), ("x", "Tue", true), ("m1", nil, false)]
            as [(String, String?, Bool)])
    func afterChangeOfMirror(tag: String, date: String?, isDoubtful: Bool) throws {
        var pool = try Self.pool(3)
        (pool.primary, pool.definer) = (1, 1)
        pool[1].version = Self.version("m0", "Sun")
        #expect(pool.decides(1) && !pool.decides(2) && !pool.decides(.main))
        #expect(!pool.mayBeOfOtherVersion(2, Self.version(tag, date).validators))
        pool.noteChange(by: 1)
        pool.forget()
        pool[1].version = Self.version("m1", "Mon")
        #expect(pool.mayBeOfOtherVersion(2, Self.version(tag, date).validators) == isDoubtful)
        #expect(!pool.mayBeOfOtherVersion(1, Self.version(tag, date).validators))
    }

    @Test(
        "once the main source has changed, a mirror needs other validators than before, or the new date",
        arguments: [(true, "old", true), (true, "new", false), (false, "old", true), (false, "new", true)])
    func afterChangeOfMain(hasDelivered: Bool, tag: String, isDoubtful: Bool) throws {
        var pool = try Self.pool(2)
        pool[.main].version = Self.version("m0", "Sun")
        if hasDelivered {
            pool[1].version = Self.version("old", nil)
            pool[1].isTrusted = true
        }
        pool.noteChange(by: .main)
        pool.forget()
        pool[.main].version = Self.version("m1", "Mon")
        #expect(pool.mayBeOfOtherVersion(1, Self.version(tag, nil).validators) == isDoubtful)
        #expect(!pool.mayBeOfOtherVersion(1, Self.version("fresh", "Mon").validators))
    }
}
