import HaulCore
import HaulTestData
import Testing

@Suite struct TransferRecordingTests {
    /// A machine at work, and the recording of what it does.
    private struct Watched {
        var machine: DownloadMachine
        var recording: TransferRecording
        var now: Duration = .zero
        var running: [FetchPlan] = []
        private var generator = SeededGenerator(seed: 1)

        init(_ connections: ConnectionLimit = .fixed(1), url: String = "http://me:secret@host/file?key=secret") throws {
            var spec = DownloadSpec(url: url, destination: .file(path: "/tmp/f"))
            spec.connections = connections
            let configuration = try MachineConfiguration(spec)
            machine = DownloadMachine(configuration)
            recording = TransferRecording(configuration)
        }

        mutating func give(_ event: MachineEvent, after seconds: Double = 0) {
            now += .seconds(seconds)
            if case .ended(let id, _, _) = event { running.removeAll { $0.id == id } }
            let effects = machine.handle(event, now: now, using: &generator)
            recording.observe(event, effects, machine, now: now)
            for effect in effects {
                switch effect {
                case .network(.fetch(let plan)): running.append(plan)
                case .network(.takeOver(let fetch, let segment, let offset)):
                    give(.takenOver(fetch: fetch, segment: segment, at: offset, granted: true))
                default: continue
                }
            }
        }

        /// A fresh start: a tenth of a second until the answer, and as many connections as there are to be.
        mutating func start(total: Int64) throws {
            give(.begin)
            give(.located(.fresh(path: "/tmp/f")))
            let probe = try #require(running.first)
            give(.head(fetch: probe.id, .take(Self.facts(0, total))), after: 0.1)
            give(.prepared(.fresh(path: "/tmp/f")))
        }

        mutating func response(_ plan: FetchPlan, total: Int64) {
            give(.head(fetch: plan.id, .take(Self.facts(plan.ask.offset, total))))
        }

        /// A tick in which each connection has received so much since it was sent.
        mutating func tick(_ received: Int64, held: Bool = false, writing: Duration = .zero) {
            give(
                .tick(
                    running.map {
                        FetchSample(
                            id: $0.id, position: $0.position + received, received: received, isHeldBack: held,
                            writing: writing)
                    }), after: 0.1)
        }

        static func facts(_ offset: Int64, _ total: Int64) -> ResponseFacts {
            ResponseFacts(
                offset: offset, end: total, total: total, validators: Validators(etag: "\"v1\""), servesRanges: true)
        }

        var record: TransferRecord { recording.record }
    }

    @Test func theTimesArePartsOfTheWhole() throws {
        var watched = try Watched()
        try watched.start(total: 1000)
        for step in 1...4 { watched.tick(Int64(step) * 100) }
        watched.tick(400)
        watched.give(.ended(fetch: 1, position: 1000, .complete), after: 0.1)
        watched.give(.verified(hex: nil), after: 0.2)
        watched.give(.published(path: "/tmp/f"), after: 0.3)
        let times = watched.record.times
        #expect(abs(times.asking - 0.1) < 1e-9 && abs(times.receiving - 0.5) < 1e-9, "\(times)")
        #expect(abs(times.silent - 0.1) < 1e-9 && abs(times.verifying - 0.2) < 1e-9, "\(times)")
        #expect(abs(times.files - 0.3) < 1e-9 && times.waiting == 0, "\(times)")
        #expect(abs(times.total - watched.record.seconds) < 1e-9)
        #expect(watched.record.isOver && watched.record.failure == nil && watched.record.receivedBytes == 1000)
    }

    @Test func aConnectionIsRecordedFromRequestToEnd() throws {
        var watched = try Watched()
        try watched.start(total: 1000)
        watched.tick(400)
        let open = try #require(watched.record.connections.first)
        #expect(open.ended == nil && open.end == nil && open.bytes == 400 && open.host == "host")
        watched.give(.ended(fetch: 1, position: 1000, .complete), after: 0.1)
        let connection = try #require(watched.record.connections.first)
        #expect(connection.began == 0 && abs((connection.responded ?? 0) - 0.1) < 1e-9)
        #expect(abs((connection.ended ?? 0) - 0.3) < 1e-9 && connection.end == .complete)
        #expect(connection.bytes == 1000 && connection.slots.reduce(0, +) == 1000)
    }

    @Test func noSecretStandsInARecord() throws {
        let watched = try Watched()
        #expect(watched.record.url == "http://host/file?key=REDACTED")
    }

    @Test func numbersOfConnectionsAreMeasuredApart() throws {
        let total: Int64 = 64 << 20
        var watched = try Watched(.fixed(4))
        try watched.start(total: total)
        for plan in watched.running.dropFirst() { watched.response(plan, total: total) }
        let count = watched.running.count
        #expect(count == 4)
        for step in 1...5 { watched.tick(Int64(step) * 1000) }
        let pace = try #require(watched.record.paces.first { $0.connections == 4 })
        // A connection counts from its second sample on, and a number from the second tick with it.
        #expect(pace.bytes == 3 * 4000 && abs(pace.seconds - 0.3) < 1e-9)
        #expect(abs(pace.speedEach - 10_000) < 1e-6)
    }

    @Test func whatHaulHoldsBackIsNoPace() throws {
        var watched = try Watched()
        try watched.start(total: 1 << 20)
        for step in 1...10 { watched.tick(Int64(step), held: true) }
        let record = watched.record
        #expect(abs(record.heldBack - 1) < 1e-9 && record.paces.isEmpty && record.times.silent == 0)
        #expect(abs((record.connections.first?.heldBack ?? 0) - 1) < 1e-9)
    }

    @Test(arguments: [429, 503]) func aRefusalSaysHowManyWereLeft(status: Int) throws {
        let total: Int64 = 64 << 20
        var watched = try Watched(.fixed(2))
        try watched.start(total: total)
        let second = try #require(watched.running.last)
        watched.give(.head(fetch: second.id, .busy(status: status, retryAfter: nil)))
        watched.give(.ended(fetch: second.id, position: second.position, .rejected))
        #expect(watched.record.refusalCount == 1)
        #expect(watched.record.refusals.map(\.connections) == [1] && watched.record.refusals.first?.status == status)
        let connection = try #require(watched.record.connections.first { $0.id == second.id })
        #expect(connection.end == .refused && connection.status == status && connection.bytes == 0)
    }

    @Test func waitsSayWhoAskedForThem() throws {
        var watched = try Watched()
        watched.give(.begin)
        watched.give(.located(.fresh(path: "/tmp/f")))
        watched.give(.head(fetch: 1, .busy(status: 503, retryAfter: 20)), after: 0.5)
        watched.give(.ended(fetch: 1, position: 0, .rejected))
        #expect(watched.record.waits.map(\.status) == [503] && watched.record.waits.first?.seconds == 20)
        watched.tick(0)
        watched.give(.tick([]), after: 20)
        watched.give(.ended(fetch: 2, position: 0, .broken(DownloadError(.connectionFailed, "broke"))), after: 1)
        // A connection may have been closed in the instant of its reuse: that once costs no wait.
        watched.give(.ended(fetch: 3, position: 0, .broken(DownloadError(.connectionFailed, "broke"))), after: 1)
        #expect(watched.record.waits.map(\.error) == [nil, .connectionFailed])
        #expect(abs(watched.record.times.waiting - 20.1) < 1e-9)
        #expect(watched.record.connections.map(\.end) == [.refused, .broken, .broken])
    }

    @Test func oneThatIsReplacedIsToldFromOneThatIsSilent() throws {
        let total: Int64 = 64 << 20
        var watched = try Watched(.fixed(2))
        try watched.start(total: total)
        let second = try #require(watched.running.last)
        watched.response(second, total: total)
        for step in 1...30 {
            let samples = watched.running.map { plan in
                let received: Int64 = plan.id == second.id ? 1 : Int64(step) << 18
                return FetchSample(
                    id: plan.id, position: plan.position + received, received: received, isHeldBack: false)
            }
            watched.give(.tick(samples), after: 0.1)
        }
        watched.give(.ended(fetch: second.id, position: second.position + 1, .cancelled))
        #expect(watched.record.connections.first { $0.id == second.id }?.end == .replaced)
        var alone = try Watched()
        try alone.start(total: total)
        for _ in 1...310 { alone.tick(1) }
        alone.give(.ended(fetch: 1, position: 1, .cancelled))
        #expect(alone.record.connections.first?.end == .stalled && alone.record.times.silent > 29)
    }

    @Test func howeverLongItRunsTheRecordIsBounded() throws {
        var watched = try Watched(.fixed(1))
        try watched.start(total: 1 << 50)
        var position: Int64 = 0
        for step in 0..<600 {
            let plan = try #require(watched.running.first)
            if step > 0 { watched.response(plan, total: 1 << 50) }
            position = plan.position + (1 << 20)
            watched.give(
                .tick([FetchSample(id: plan.id, position: position, received: 1 << 20, isHeldBack: false)]),
                after: 60)
            watched.give(.ended(fetch: plan.id, position: position, .complete))
        }
        let record = watched.record
        #expect(record.connections.count == TransferRecord.maxConnections)
        #expect(record.omittedConnections + record.connections.count == 601)
        #expect(record.receivedBytes == 600 << 20)
        #expect(record.connections.allSatisfy { $0.firstSlot + $0.slots.count <= TransferRecord.maxSlots })
        #expect(record.slotSeconds * Double(TransferRecord.maxSlots) >= record.seconds)
        #expect(record.connections.last { $0.end != nil }?.slots.reduce(0, +) == 1 << 20)
    }

    @Test func writingAndProcessorAreCounted() throws {
        var watched = try Watched()
        try watched.start(total: 1 << 20)
        let limits = ProcessorLimits(cores: 2, machineCores: 4, quota: 0.5)
        let before = ProcessorSample(
            time: 7, used: 5, busiest: ThreadTimes(schedstat: "100000000 50000000 1"),
            periods: QuotaPeriods(stat: "nr_periods 10\nnr_throttled 5\n"))
        watched.recording.processor(before, limits)
        #expect(watched.record.processor == nil)
        watched.tick(10, writing: .milliseconds(30))
        watched.tick(20, writing: .milliseconds(80))
        // A sample that is not newer changes nothing.
        watched.recording.processor(before, limits)
        #expect(watched.record.processor == nil)
        let after = ProcessorSample(
            time: 7.4, used: 5.05, busiest: ThreadTimes(schedstat: "200000000 350000000 9"),
            periods: QuotaPeriods(stat: "nr_periods 14\nnr_throttled 8\n"))
        watched.recording.processor(after, limits)
        #expect(abs(watched.record.writing - 0.08) < 1e-9)
        let processor = try #require(watched.record.processor)
        #expect(abs(processor.wall - 0.4) < 1e-9 && abs(processor.share - 0.25) < 1e-9)
        #expect(processor.machineCores == 4 && processor.quota == 0.5 && processor.throttled == 0.75)
        #expect(abs((processor.ran ?? 0) - 0.1) < 1e-9 && abs((processor.waited ?? 0) - 0.3) < 1e-9)
    }
}
