import HaulCore
import Testing

@Suite("One download's way")
struct DownloadMachineTests {
    @Test("one connection, straight through")
    func straight() throws {
        var driver = try MachineDriver()
        try driver.start(total: 1000)
        #expect(driver.running.count == 1)
        #expect(driver.complete(driver.running[0]) == [.content(.verify(total: 1000))])
        #expect(driver.give(.verified(hex: nil)) == [.content(.publish(total: 1000, modified: nil))])
        driver.give(.published(path: "/tmp/f"))
        #expect(try driver.machine.result?.get().totalBytes == 1000)
        #expect(try driver.machine.result?.get().sessionBytes == 1000)
        #expect(driver.ends == 1)
    }

    @Test("the first answer is the first segment; further connections take the rest in equal parts")
    func several() throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: 64 << 20)
        #expect(driver.running.count == 4)
        for (index, segment) in driver.machine.map.segments.enumerated() {
            // Not where servers end their blocks: a byte more than wanted shows a loss.
            #expect((0...16 << 10).contains(segment.start - Int64(index) * (16 << 20)))
            #expect(index == 0 || segment.start % 4096 != 0)
        }
        for plan in driver.running.dropFirst() {
            #expect(plan.ask.ifRangeHeader == "\"v1\"")
            #expect(plan.ask.known?.total == 64 << 20)
        }
    }

    @Test("an empty file, with or without a length", arguments: [0, nil] as [Int64?])
    func empty(total: Int64?) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let facts = ResponseFacts(offset: 0, end: total, total: total)
        driver.give(.head(fetch: 1, .take(facts)))
        driver.give(.ended(fetch: 1, position: 0, .complete))
        #expect(driver.give(.prepared(.fresh(path: "/tmp/f"))) == [.content(.verify(total: 0))])
    }

    @Test("an unknown size ends with the stream, over one connection")
    func unknownSize() throws {
        var driver = try MachineDriver(connections: .fixed(8))
        driver.give(.begin)
        driver.give(.located(.unnamed))
        driver.give(.head(fetch: 1, .take(ResponseFacts(offset: 0, end: nil, total: nil))))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(driver.running.count == 1)
        #expect(driver.give(.ended(fetch: 1, position: 777, .complete)) == [.content(.verify(total: 777))])
    }

    @Test("a first answer that breaks before the file is opened is a broken connection, not a change")
    func brokenBeforeOpening() throws {
        var driver = try MachineDriver()
        let tries = try driver.triesUntilEnd { driver in
            let plan = try #require(driver.running.first)
            #expect(plan.ask.offset == 0 && plan.ask.known == nil)
            driver.give(.head(fetch: plan.id, .take(ResponseFacts(offset: 0, end: nil, total: nil))))
            driver.give(.ended(fetch: plan.id, position: 0, .broken(DownloadError(.connectionFailed, "cut"))))
            driver.give(.prepared(.fresh(path: "/tmp/f")))
            driver.give(.closed)
        }
        guard case .failure(let error)? = driver.machine.result else { return #expect(Bool(false)) }
        #expect(error.code == .connectionFailed && tries > 1)
        #expect(!driver.events.contains(.notice(.rangesIgnored)))
    }

    @Test("416 at the start: asked again without a range")
    func emptyBy416() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .askWithoutRange))
        driver.give(.ended(fetch: 1, position: 0, .rejected))
        #expect(driver.running.first?.ask.rangeHeader == nil)
    }

    @Test("a resumable partial goes on with its gaps, without a first request")
    func resumes() throws {
        var driver = try MachineDriver(connections: .fixed(4))
        driver.give(.begin)
        let version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"v1\""))
        let pieces = [Located.Piece(start: 0, position: 10 << 20), .init(start: 50 << 20, position: 60 << 20)]
        let effects = driver.give(.located(.resumable(path: "/tmp/f", version, pieces)))
        guard case .content(.resume(version, let map, _))? = effects.first else {
            return #expect(Bool(false), "\(effects)")
        }
        #expect(map.written == 20 << 20)
        driver.give(.reopened)
        #expect(driver.running.count == 4)
        #expect(driver.running.map(\.position).prefix(2) == [10 << 20, 60 << 20])
        // The end of the bytes that are there is compared.
        #expect(driver.running.prefix(2).allSatisfy { $0.position - $0.ask.offset == 65_536 })
        // It is not known before the first answer whether what is there is used.
        #expect(driver.events.isEmpty)
        driver.give(.tick([FetchSample(id: 1, position: (10 << 20) + 1, received: 1, isHeldBack: false)]))
        guard case .started(let facts)? = driver.events.first else { return #expect(Bool(false)) }
        #expect(facts.resumedBytes == 20 << 20)
    }

    @Test("a complete partial needs no request at all")
    func completePartial() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        let version = KnownVersion(total: 500, validators: Validators(etag: "\"v1\""))
        driver.give(.located(.resumable(path: "/tmp/f", version, [.init(start: 0, position: 500)])))
        #expect(driver.give(.reopened) == [.content(.verify(total: 500))])
        #expect(driver.plans.isEmpty)
    }

    @Test("without a strong validator: one connection, an overlap compared, only the first stretch kept")
    func weak() throws {
        var driver = try MachineDriver(connections: .fixed(4))
        driver.give(.begin)
        let version = KnownVersion(total: 100 << 20, validators: Validators(etag: "W/\"v1\""))
        let pieces = [Located.Piece(start: 0, position: 10 << 20), .init(start: 50 << 20, position: 60 << 20)]
        driver.give(.located(.resumable(path: "/tmp/f", version, pieces)))
        driver.give(.reopened)
        #expect(driver.machine.map.written == 10 << 20)
        let plan = try #require(driver.running.first)
        #expect(driver.running.count == 1)
        #expect(plan.position == 10 << 20)
        #expect(plan.ask.offset == (10 << 20) - (64 << 10))
        #expect(plan.ask.ifRangeHeader == nil)
        driver.give(.ended(fetch: plan.id, position: plan.position, .differs))
        #expect(driver.events.contains(.notice(.sourceChanged)))
        #expect(driver.machine.phase == .probing)
    }

    @Test("without a strong validator: answers that are cut early never make the overlap next to nothing")
    func minOverlap() throws {
        var driver = try MachineDriver { $0.retries = 1000 }
        try driver.start(total: 1 << 20, etag: nil)
        for position in [8000, 8004, 8008, 8012] as [Int64] {
            driver.give(
                .ended(fetch: driver.running[0].id, position: position, .broken(DownloadError(.timedOut, "cut"))))
            driver.pass(.seconds(60))
            let plan = try #require(driver.running.first)
            #expect(plan.position == position && plan.ask.offset == position - 4096)
            let facts = ResponseFacts(offset: plan.ask.offset, end: 1 << 20, total: 1 << 20, servesRanges: true)
            driver.give(.head(fetch: plan.id, .take(facts)))
        }
    }

    @Test("a file that is there is left alone")
    func kept() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        #expect(driver.give(.located(.kept(path: "/tmp/f", size: 5, isSame: false))) == [.content(.save)])
        driver.give(.closed)
        let facts = try driver.machine.result?.get()
        #expect(facts?.kept == true && facts?.verification == .nothing)
    }

    @Test("a wrong checksum: nothing is published, the bytes are not kept")
    func wrongChecksum() throws {
        var driver = try MachineDriver { $0.checksum = try? Checksum(.md5, hex: String(repeating: "0", count: 32)) }
        try driver.start(total: 10)
        driver.complete(driver.running[0])
        #expect(driver.give(.verified(hex: String(repeating: "1", count: 32))) == [.content(.discard)])
        driver.give(.closed)
        #expect(driver.failure?.code == .checksumMismatch)
    }

    @Test("a stop saves; a stop at the very end does not undo the end")
    func stop() throws {
        var driver = try MachineDriver()
        try driver.start(total: 1000)
        driver.give(.tick([FetchSample(id: 1, position: 400, received: 400, isHeldBack: false)]))
        #expect(driver.give(.stop) == [.network(.cancel(1))])
        #expect(driver.give(.ended(fetch: 1, position: 420, .cancelled)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .cancelled)

        var late = try MachineDriver()
        try late.start(total: 1000)
        late.complete(late.running[0])
        late.give(.verified(hex: nil))
        #expect(late.give(.stop) == [])
        late.give(.published(path: "/tmp/f"))
        #expect(try late.machine.result?.get() != nil)
    }
}

extension DownloadMachineTests {
    @Test("connections that bring nothing more are given up, and what they left is fetched by the first ones")
    func surplus() throws {
        var driver = try MachineDriver(connections: .automatic(limit: 6))
        try driver.start(total: 1 << 30)
        var cancelled: [Int] = []
        var responded: Set<Int> = []
        var bytes: Int64 = 0
        for _ in 0..<150 where cancelled.isEmpty {
            driver.now += .milliseconds(100)
            bytes += 1_000_000
            let running = driver.running
            for plan in running where plan.segment != nil && responded.insert(plan.id).inserted {
                let facts = ResponseFacts(offset: plan.position, end: plan.end, total: 1 << 30, servesRanges: true)
                driver.give(.head(fetch: plan.id, .take(facts)))
            }
            // However many they are, together they bring the same.
            let share = bytes / Int64(running.count)
            let effects = driver.give(
                .tick(
                    running.map {
                        FetchSample(id: $0.id, position: $0.position + share, received: share, isHeldBack: false)
                    }))
            for case .network(.cancel(let id)) in effects { cancelled.append(id) }
        }
        #expect(cancelled == [4, 5, 6] && driver.now > .seconds(10))
        for dropped in cancelled {
            let position = try #require(driver.plans[dropped]).position
            driver.give(.ended(fetch: dropped, position: position, .cancelled))
        }
        #expect(driver.running.map(\.id) == [1, 2, 3])
    }
}
