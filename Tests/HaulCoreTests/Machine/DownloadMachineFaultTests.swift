import HaulTestData
import Testing

@testable import HaulCore

@Suite("What goes wrong on the way")
struct DownloadMachineFaultTests {
    static let cut = FetchEnd.broken(DownloadError(.connectionFailed, "cut"))
    static let refused = FetchEnd.unreachable(DownloadError(.connectionFailed, "refused"))
    static let unknown = FetchEnd.unreachable(DownloadError(.nameNotResolved, "unknown"))

    @Test("a cut after good progress: the next request follows at once, and compares the last 64 KiB")
    func cutMidway() throws {
        var driver = try MachineDriver()
        try driver.start(total: 1 << 20)
        driver.give(.ended(fetch: 1, position: 300_000, Self.cut))
        #expect(driver.running.first?.ask.rangeHeader == "bytes=\(300_000 - 65_536)-1048575")
        #expect(driver.running.first?.position == 300_000)
        let plan = try #require(driver.running.first)
        let facts = ResponseFacts(
            offset: plan.ask.offset, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v1\""),
            servesRanges: true)
        driver.give(.head(fetch: plan.id, .take(facts)))
        // A complete response, however short, is no reason for doubt.
        driver.give(.ended(fetch: plan.id, position: 600_000, .complete))
        #expect(driver.running.first?.ask.rangeHeader == "bytes=600000-1048575")
    }

    @Test("bytes of two responses differ where they meet: all is fetched again, unless a checksum vouches for the file")
    func joinsDiffer() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        for isVouchedFor in [false, true] {
            var driver = try MachineDriver { if isVouchedFor { $0.checksum = checksum } }
            try driver.start(total: 1 << 20)
            driver.give(.ended(fetch: 1, position: 1 << 20, .complete))
            let effects = driver.give(.verified(hex: isVouchedFor ? checksum.hex : nil, joinsDiffer: true))
            let publish = MachineEffect.content(.publish(total: 1 << 20, modified: nil))
            #expect(effects.contains(publish) == isVouchedFor)
            #expect(driver.events.contains(.notice(.sourceChanged)) != isVouchedFor)
            #expect(driver.running.count == (isVouchedFor ? 0 : 1))
        }
    }

    @Test("a checksum does not spare the comparison after a cut: the next run may have none")
    func cutUnderChecksum() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        var driver = try MachineDriver { $0.checksum = checksum }
        try driver.start(total: 1 << 20)
        driver.give(.ended(fetch: 1, position: 300_000, Self.cut))
        #expect(driver.running.first?.ask.rangeHeader == "bytes=234464-1048575")
    }

    @Test("a checksum does not spare it either once bytes without validators were replaced by a new version")
    func cutAfterNewStart() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        var driver = try MachineDriver { $0.checksum = checksum }
        driver.give(.begin)
        var version = KnownVersion(total: 1 << 20, validators: Validators())
        version.provenance = .unproven
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 300_000)])))
        driver.give(.reopened)
        #expect(driver.machine.hasToBeVouchedFor)
        driver.machine.restart(.sourceChanged, of: .main, now: driver.now)
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        let plan = try #require(driver.running.first)
        let facts = ResponseFacts(
            offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v2\""), servesRanges: true)
        driver.give(.head(fetch: plan.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: plan.id, position: 300_000, Self.cut))
        #expect(driver.running.first?.ask.rangeHeader == "bytes=234464-1048575")
    }

    /// Lets each attempt bring this number of bytes of 1 MiB before it breaks; how many attempts there were.
    static func attempts(bringing count: Int64, retries: Int) throws -> (attempts: Int, driver: MachineDriver) {
        var driver = try MachineDriver { $0.retries = retries }
        try driver.start(total: 1 << 20)
        var (attempts, position) = (0, count)
        while driver.machine.result == nil, position < 1 << 20 {
            if driver.running.isEmpty { driver.pass(.seconds(60)) }
            let plan = try #require(driver.running.first)
            let facts = ResponseFacts(offset: plan.position, end: 1 << 20, total: 1 << 20, servesRanges: true)
            driver.give(.head(fetch: plan.id, .take(facts)))
            driver.give(.ended(fetch: plan.id, position: position, cut))
            driver.give(.closed)
            attempts += 1
            position += count
        }
        return (attempts, driver)
    }

    @Test(
        "the counter starts again after progress, so many cuts are no failure", arguments: [10_486, 65_536] as [Int64])
    func manyCuts(count: Int64) throws {
        let (attempts, driver) = try Self.attempts(bringing: count, retries: 2)
        #expect(attempts >= 15 && driver.machine.result == nil)
    }

    @Test("a few bytes with each attempt are no progress", arguments: [1, 1000, 10_485] as [Int64], 0...3)
    func dripping(count: Int64, retries: Int) throws {
        let (attempts, driver) = try Self.attempts(bringing: count, retries: retries)
        #expect(attempts == retries + 1)
        #expect(driver.failure?.code == .connectionFailed && driver.waits.count == retries)
    }

    @Test("nobody there at the start: one quick retry, then it fails", arguments: [refused, unknown], 0...5)
    func nobodyThere(end: FetchEnd, retries: Int) throws {
        var driver = try MachineDriver { $0.retries = retries }
        let tries = try driver.triesUntilEnd { driver in
            driver.give(.ended(fetch: try #require(driver.running.first).id, position: 0, end))
            driver.give(.closed)
        }
        #expect(tries == min(retries, 1) + 1)
        #expect(driver.waits.reduce(0, +) < 1)
    }

    @Test("nobody there after the server has answered: all retries", arguments: [refused, unknown])
    func gone(end: FetchEnd) throws {
        var driver = try MachineDriver { $0.retries = 4 }
        var isFirst = true
        let tries = try driver.triesUntilEnd { driver in
            let plan = try #require(driver.running.first)
            if isFirst { driver.give(.head(fetch: plan.id, .tryAgain(status: 500))) }
            driver.give(.ended(fetch: plan.id, position: 0, isFirst ? .rejected : end))
            driver.give(.closed)
            isFirst = false
        }
        // A connection that fails without an answer has one free attempt once the server has answered.
        #expect(tries == (end == Self.refused ? 6 : 5))
        #expect(driver.failure?.message == (end == Self.refused ? "refused" : "unknown"))
    }

    @Test("what is certain to recur is not tried again")
    func hopeless() throws {
        let error = DownloadError(.badResponse, "the response headers are too large")
        var driver = try MachineDriver { $0.retries = 4 }
        let tries = try driver.triesUntilEnd { driver in
            driver.give(.ended(fetch: try #require(driver.running.first).id, position: 0, .hopeless(error)))
            driver.give(.closed)
        }
        #expect(tries == 1 && driver.failure == error)
    }

    @Test("a redirect that can't be followed and a bad certificate are not tried again")
    func refusedForGood() throws {
        var driver = try MachineDriver { $0.retries = 4 }
        #expect(
            driver.triesUntilEnd { driver in
                for plan in driver.running {
                    driver.give(.head(fetch: plan.id, .redirect(location: "file:///etc/passwd")))
                    driver.give(.ended(fetch: plan.id, position: 0, .rejected))
                }
                driver.give(.closed)
            } == 1)
        #expect(driver.failure?.code == .redirectRefused)
        driver = try MachineDriver { $0.retries = 4 }
        let untrusted = FetchEnd.broken(DownloadError(.tlsFailed, "the certificate has expired"))
        #expect(
            driver.triesUntilEnd { driver in
                for plan in driver.running { driver.give(.ended(fetch: plan.id, position: 0, untrusted)) }
                driver.give(.closed)
            } == 1)
        #expect(driver.failure?.code == .tlsFailed)
    }

    @Test("failures without progress wait longer each time and end at the limit", arguments: 0...4)
    func gaveUp(retries: Int) throws {
        var driver = try MachineDriver { $0.retries = retries }
        let tries = try driver.triesUntilEnd { driver in
            driver.give(.ended(fetch: try #require(driver.running.first).id, position: 0, Self.cut))
            driver.give(.closed)
        }
        #expect(tries == retries + 1)
        #expect(driver.failure?.code == .connectionFailed)
        #expect(driver.ends == 1)
    }

    @Test("Retry-After is obeyed to the tick")
    func retryAfter() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .busy(status: 503, retryAfter: 7)))
        driver.give(.ended(fetch: 1, position: 0, .rejected))
        #expect(driver.events.contains(.waiting(.serverAsked(status: 503), seconds: 7)))
        driver.pass(.milliseconds(6900))
        #expect(driver.running.isEmpty)
        driver.pass(.milliseconds(100))
        #expect(driver.running.count == 1)
    }

    @Test("a refused further connection means fewer, not failure", arguments: [429, 503, 403, 500])
    func refusedConnection(status: Int) throws {
        var driver = try MachineDriver(connections: .fixed(4)) { $0.retries = 0 }
        try driver.start(total: 64 << 20)
        let others = driver.running.dropFirst()
        for plan in others {
            let decision: ResponseDecision =
                switch status {
                case 429, 503: .busy(status: status, retryAfter: nil)
                case 403: .denied(status: status)
                default: .tryAgain(status: status)
                }
            driver.give(.head(fetch: plan.id, decision))
            driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
        }
        #expect(driver.running.count == 1)
        #expect(driver.machine.result == nil)
        driver.give(.ended(fetch: 1, position: 16 << 20, .enough))
        #expect(driver.running.count == 1)
    }

    @Test("a change while segments run: every fetch ends before the new beginning")
    func changedWhileRunning() throws {
        var driver = try MachineDriver(connections: .fixed(3))
        try driver.start(total: 64 << 20)
        let plans = driver.running
        driver.give(.head(fetch: plans[2].id, .changed))
        let effects = driver.give(.ended(fetch: plans[2].id, position: plans[2].position, .rejected))
        #expect(effects == [.network(.cancel(plans[0].id)), .network(.cancel(plans[1].id))])
        #expect(driver.give(.ended(fetch: plans[0].id, position: 5_000, .cancelled)) == [])
        #expect(driver.give(.ended(fetch: plans[1].id, position: plans[1].position, .cancelled)).count == 1)
        #expect(driver.machine.map.written == 0)
        #expect(driver.running.first?.ask.offset == 0)
        #expect(driver.running.first?.ask.known == nil)
    }

    @Test("a file that always changes fails clearly")
    func alwaysChanges() throws {
        var driver = try MachineDriver()
        try driver.start(total: 1000)
        for _ in 0..<20 where driver.machine.result == nil {
            guard let plan = driver.running.first else { break }
            let facts = ResponseFacts(offset: 0, end: 1000, total: 1000, servesRanges: true)
            driver.give(.head(fetch: plan.id, .take(facts)))
            driver.give(.prepared(.fresh(path: "/tmp/f")))
            driver.give(.ended(fetch: plan.id, position: 10, .differs))
            driver.give(.closed)
        }
        #expect(driver.failure?.code == .sourceChanged)
    }

    @Test("silence is noticed within a second of the limit, and only that connection is dropped")
    func stall() throws {
        var driver = try MachineDriver(connections: .fixed(2)) { $0.idleTimeout = .seconds(5) }
        try driver.start(total: 64 << 20)
        let silent = driver.running[1]
        driver.give(
            .head(
                fetch: silent.id,
                .take(ResponseFacts(offset: silent.position, end: nil, total: 64 << 20, servesRanges: true))))
        var position: Int64 = 0
        var cancelled: Duration?
        while cancelled == nil, driver.now < .seconds(20) {
            driver.now += .milliseconds(100)
            position += 1000
            let effects = driver.give(
                .tick([
                    FetchSample(id: 1, position: position, received: position, isHeldBack: false),
                    FetchSample(id: silent.id, position: silent.position, received: 0, isHeldBack: false),
                ]))
            if effects.contains(.network(.cancel(silent.id))) { cancelled = driver.now }
            #expect(!effects.contains(.network(.cancel(1))))
        }
        #expect(try #require(cancelled) <= .seconds(6))
        #expect(try #require(cancelled) >= .seconds(5))
    }

    @Test("what Haul holds back itself is no silence")
    func heldBack() throws {
        var driver = try MachineDriver { $0.idleTimeout = .seconds(1) }
        try driver.start(total: 1000)
        for _ in 0..<100 {
            driver.now += .milliseconds(100)
            let effects = driver.give(.tick([FetchSample(id: 1, position: 0, received: 5, isHeldBack: true)]))
            #expect(!effects.contains(.network(.cancel(1))))
        }
    }

    @Test("a link that was good and is not any more: the bytes are kept", arguments: [401, 403, 410])
    func expired(status: Int) throws {
        var driver = try MachineDriver()
        try driver.start(total: 1 << 20)
        driver.give(.ended(fetch: 1, position: 500_000, Self.cut))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .denied(status: status)))
        #expect(driver.give(.ended(fetch: plan.id, position: 500_000, .rejected)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .linkExpired)
    }

    @Test func aProxyThatWantsAPasswordIsNoExpiredLink() throws {
        var driver = try MachineDriver()
        try driver.start(total: 1 << 20)
        driver.give(.ended(fetch: 1, position: 500_000, Self.cut))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .denied(status: 407)))
        #expect(driver.give(.ended(fetch: plan.id, position: 500_000, .rejected)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .notAuthorized)
    }

    @Test("404 at the start is final; what there is to keep, the files know")
    func notFound() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .denied(status: 404)))
        #expect(driver.give(.ended(fetch: 1, position: 0, .rejected)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .notFound)
    }

    @Test("a redirect is followed with the same ask; the place it leads to is remembered")
    func redirect() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .redirect(location: "http://other/x")))
        driver.give(.ended(fetch: 1, position: 0, .rejected))
        let plan = try #require(driver.running.first)
        #expect(plan.url.string == "http://other/x")
        #expect(plan.redirects.map(\.string) == ["http://host/file"])
        let facts = ResponseFacts(
            offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v\""), servesRanges: true)
        driver.give(.head(fetch: plan.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: plan.id, position: 200_000, Self.cut))
        #expect(driver.running.first?.url.string == "http://other/x")
        // The place has expired: the redirect is asked anew, once.
        let again = try #require(driver.running.first)
        driver.give(.head(fetch: again.id, .denied(status: 403)))
        driver.give(.ended(fetch: again.id, position: 200_000, .rejected))
        #expect(driver.running.first?.url.string == "http://host/file")
    }

    @Test("all requests to the target of redirects know a hop without TLS; from the given URL there was none")
    func hopWithoutTLS() throws {
        var driver = try MachineDriver(connections: .fixed(4)) {
            $0.url = "https://host/file"
            $0.access.allowsDowngrade = true
        }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        for (id, location) in [(1, "http://between/x"), (2, "https://other/f")] {
            driver.give(.head(fetch: id, .redirect(location: location)))
            driver.give(.ended(fetch: id, position: 0, .rejected))
        }
        var facts = ResponseFacts(
            offset: 0, end: 64 << 20, total: 64 << 20, validators: Validators(etag: "\"v\""), servesRanges: true)
        facts.ranges = .shown
        driver.give(.head(fetch: 3, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(driver.running.count == 4)
        for plan in driver.running {
            #expect(plan.url.string == "https://other/f" && plan.way.contains { $0.string == "http://between/x" })
        }
        // Such a request may be redirected further. If one is refused, the given URL is requested again.
        let second = try #require(driver.running.last)
        driver.give(.head(fetch: second.id, .redirect(location: "https://third/f")))
        driver.give(.ended(fetch: second.id, position: second.position, .rejected))
        let third = try #require(driver.running.last)
        #expect(third.url.string == "https://third/f" && third.way.contains { !$0.isSecure })
        let denied = try #require(driver.running.first { $0.id > 3 && $0.redirects.isEmpty })
        driver.give(.head(fetch: denied.id, .denied(status: 403)))
        driver.give(.ended(fetch: denied.id, position: denied.position, .rejected))
        let again = try #require(driver.running.last)
        #expect(again.url.string == "https://host/file" && again.way.isEmpty)
    }

    @Test("a full disk ends it with the cause, the bytes are kept")
    func noSpace() throws {
        var driver = try MachineDriver(connections: .fixed(2))
        try driver.start(total: 64 << 20)
        let other = driver.running[1]
        let error = DownloadError(.noSpace, "full")
        #expect(driver.give(.ended(fetch: 1, position: 1000, .fileFailed(error))) == [.network(.cancel(other.id))])
        #expect(driver.give(.ended(fetch: other.id, position: other.position, .cancelled)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure == error)
    }

    @Test("random events in any order: one end at most, segments that tile, no trap", arguments: 0..<300)
    func anyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var driver = try MachineDriver(connections: .fixed(Int.random(in: 1...4, using: &generator)))
        driver.give(.begin)
        for _ in 0..<200 {
            driver.now += .milliseconds(Int.random(in: 0...3000, using: &generator))
            driver.give(Self.anyEvent(&driver, &generator))
            SegmentMapTests.check(driver.machine.map)
        }
        driver.give(.stop)
        for _ in 0..<10 {
            for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
            driver.give(.fileFailed(DownloadError(.fileFailed, "x")))
            driver.give(.closed)
        }
        #expect(driver.machine.result != nil)
        #expect(driver.ends == 1)
        #expect(driver.plans.isEmpty)
    }

    static func anyEvent(_ driver: inout MachineDriver, _ generator: inout SeededGenerator) -> MachineEvent {
        let fetch = driver.running.randomElement(using: &generator)?.id ?? Int.random(in: 0...5, using: &generator)
        let facts = ResponseFacts(
            offset: 0, end: 5 << 20, total: [nil, 0, 5 << 20, .max].randomElement(using: &generator)!,
            validators: Validators(etag: ["\"a\"", "W/\"a\"", nil].randomElement(using: &generator)!),
            servesRanges: true)
        let decisions: [ResponseDecision] = [
            .take(facts), .take(facts), .whole(facts, agreement: .same), .changed, .askWithoutRange, .rangesBroken("x"),
            .redirect(location: "/y\(Int.random(in: 0...99, using: &generator))"), .busy(status: 429, retryAfter: 1),
            .tryAgain(status: 500), .denied(status: 403),
        ]
        let ends: [FetchEnd] = [.complete, .enough, .rejected, .cancelled, cut, .differs]
        let position = Int64.random(in: -5...(6 << 20), using: &generator)
        let events: [MachineEvent] = [
            .located(.unnamed), .located(.fresh(path: "/f")),
            .head(fetch: fetch, decisions.randomElement(using: &generator)!),
            .prepared(.fresh(path: "/f")),
            .prepared(.resumable(path: "/f", facts.version, [.init(start: 0, position: position)])), .reopened,
            .tick([FetchSample(id: fetch, position: position, received: position, isHeldBack: false)]),
            .ended(fetch: fetch, position: position, ends.randomElement(using: &generator)!), .checkpointed,
            .verified(hex: nil), .verified(hex: nil, joinsDiffer: true),
        ]
        return events.randomElement(using: &generator)!
    }
}
