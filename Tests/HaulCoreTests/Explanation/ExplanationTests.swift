import HaulCore
import Testing

@Suite struct ExplanationTests {
    private static let mega = 1_048_576.0

    // MARK: - The server's limits

    @Test(arguments: [2, 4, 6, 16, 64], [0.1, 3, 80])
    func speedThatGrowsWithTheConnectionsIsALimitPerConnection(maximum: Int, each: Double) {
        let each = each * Self.mega
        let story = RecordBuilder(limit: .automatic(limit: maximum)).pace(1, each: each, seconds: 0.3)
            .pace(maximum, each: each, seconds: 9)
        #expect(story.causes == ["perConnection", "connectionLimit"])
        #expect(story.explanation.factors.allSatisfy { $0.share == 1 })
    }

    @Test func theSentenceHoldsTheNumbers() {
        let story = RecordBuilder().pace(1, each: 3 * Self.mega, seconds: 1).pace(6, each: 3 * Self.mega, seconds: 9)
        #expect(
            story.sentences == [
                "the server limits each connection to 3.0 MiB/s: 6 connections reached 18.0 MiB/s",
                "Haul used at most 6 connections, its default: more would probably be faster",
            ])
    }

    @Test(arguments: [ConnectionLimit.fixed(6), .automatic(limit: 5), .automatic(limit: 7)])
    func onlyTheDefaultIsCalledSo(limit: ConnectionLimit) {
        let maximum = limit.maximum
        let story = RecordBuilder(limit: limit).pace(1, each: Self.mega, seconds: 1).pace(
            maximum, each: Self.mega, seconds: 9)
        #expect(story.sentences.last == "Haul used at most \(maximum) connections: more would probably be faster")
    }

    @Test func belowTheOwnLimitThatIsNoCause() {
        let story = RecordBuilder(limit: .fixed(8)).pace(1, each: Self.mega, seconds: 1).pace(
            4, each: Self.mega, seconds: 9)
        #expect(story.causes == ["perConnection"])
    }

    @Test(arguments: [2, 4, 8, 16])
    func speedThatStaysTheSameIsALimitInAll(connections: Int) {
        let all = 12 * Self.mega
        let story = RecordBuilder(limit: .fixed(connections)).pace(1, each: all, seconds: 1)
            .pace(connections, each: all / Double(connections), seconds: 9)
        #expect(story.causes == ["total"])
        #expect(
            story.sentences == [
                "the server or the network allows 12.0 MiB/s in total: \(connections) connections were hardly faster than 1"
            ])
    }

    @Test func aConnectionThatWasOneTooManyProvesALimitInAll() {
        let story = RecordBuilder().pace(1, each: 20 * Self.mega, seconds: 9).pace(
            2, each: 10 * Self.mega, seconds: 0.2
        )
        .ended(.surplus)
        #expect(story.causes == ["total"])
        #expect(
            story.sentences == [
                "the server or the network allows 20.0 MiB/s in total: no faster with more than 1 connection"
            ])
    }

    @Test func aLastStepThatTheLimitCutShortProvesALimitInAll() {
        let story = RecordBuilder(limit: .automatic(limit: 5)).pace(1, each: Self.mega, seconds: 0.2)
            .pace(2, each: Self.mega, seconds: 0.2).pace(4, each: Self.mega, seconds: 9)
            .pace(5, each: 0.8 * Self.mega, seconds: 0.2).ended(.surplus)
        #expect(story.causes == ["total"])
    }

    @Test(arguments: [0.5, 8])
    func aTryThatFailedFirstAndPaidLaterProvesALimitPerConnection(late: Double) {
        let story = RecordBuilder(limit: .automatic(limit: 8)).pace(1, each: Self.mega, seconds: 3)
            .pace(2, each: 0.5 * Self.mega, seconds: 0.2).ended(.surplus).pace(6, each: Self.mega, seconds: late)
        #expect(story.causes == ["perConnection"])
    }

    @Test func withNothingToCompareNobodyIsBlamed() {
        let story = RecordBuilder(limit: .fixed(4)).pace(4, each: Self.mega, seconds: 10)
        #expect(story.causes == ["server"])
        // A try of an instant proves nothing, and neither does growth by half.
        #expect(
            RecordBuilder(limit: .fixed(4)).pace(1, each: 1, seconds: 0.1).pace(4, each: 1, seconds: 9).causes == [
                "server"
            ])
        let half = RecordBuilder(limit: .fixed(4)).pace(1, each: 4e6, seconds: 1).pace(4, each: 2.3e6, seconds: 9)
        #expect(half.causes == ["server"])
    }

    @Test("connections that were equally fast suggest a limit of each")
    func equallyFast() {
        let story = RecordBuilder().pace(6, each: Self.mega, seconds: 9)
        let equal = story.connections([1, 1.02, 0.99, 1, 1.05, 1].map { $0 * Self.mega })
        #expect(equal.causes == ["likelyPerConnection"])
        #expect(
            equal.sentences == [
                "the server probably limits each connection to 1.0 MiB/s: 6 connections were equally fast; "
                    + "more would then be faster"
            ])
        #expect(story.connections([1, 1.3, 0.7, 1, 1, 1].map { $0 * Self.mega }).causes == ["server"])
        #expect(story.connections([1, 1].map { $0 * Self.mega }).causes == ["server"])
        let two = RecordBuilder().pace(2, each: Self.mega, seconds: 9).connections([Self.mega, Self.mega])
        #expect(two.causes == ["server"])
        // A comparison says more.
        #expect(
            RecordBuilder().pace(1, each: 6 * Self.mega, seconds: 1).pace(6, each: Self.mega, seconds: 9)
                .connections(Array(repeating: Self.mega, count: 6)).causes == ["total"])
    }

    @Test(arguments: [429, 503, nil])
    func refusalsComeBeforeTheLimitPerConnection(status: Int?) {
        let story = RecordBuilder(limit: .fixed(8)).pace(1, each: Self.mega, seconds: 0.5)
            .pace(4, each: Self.mega, seconds: 9).ended(.refused, 3)
            .with { record in
                record.refusalCount = 3
                record.refusals = [RefusalRecord(time: 0, connections: 4, status: status)]
            }
        #expect(story.causes == ["refusals", "perConnection"])
        #expect(
            story.sentences[0]
                == "the server refused more than 4 connections, 3 times" + (status.map { " (\($0))" } ?? ""))
    }

    @Test func refusalsInABurstCountThoseThatDelivered() {
        let story = RecordBuilder(limit: .fixed(6)).pace(3, each: Self.mega, seconds: 10).with { record in
            record.refusalCount = 3
            record.refusals = [5, 4, 3].map { RefusalRecord(time: 0.1, connections: $0, status: 503) }
        }
        #expect(story.sentences == ["the server refused more than 3 connections, 3 times (503)"])
    }

    @Test func whatHaulChoseForItselfPaid() {
        // Measured: the first instants were too fast by the bytes that stood in buffers.
        let tries = { (limit: ConnectionLimit) in
            RecordBuilder(limit: limit).pace(1, each: 3.4e6, seconds: 0.2).pace(2, each: 2.6e6, seconds: 0.2)
                .pace(6, each: 2e6, seconds: 2)
        }
        #expect(tries(.automatic(limit: 6)).causes == ["perConnection", "connectionLimit"])
        #expect(tries(.fixed(6)).causes == ["server"])
    }

    @Test func aLateRefusalCostsLittleAndIsToldAllTheSame() {
        let story = RecordBuilder(limit: .fixed(8)).pace(8, each: Self.mega, seconds: 10).with { record in
            record.refusalCount = 1
            record.refusals = [RefusalRecord(time: 9.9, connections: 7, status: 503)]
        }
        #expect(story.causes == ["server", "refusals"])
    }

    @Test(arguments: [0, 1, 3, 4])
    func theHostsLimitIsToldWithTheOwnPartOfIt(connections: Int) {
        let story = RecordBuilder(limit: .fixed(8)).pace(max(1, connections), each: Self.mega, seconds: 10).with {
            record in
            var host = HostLimitRecord()
            (host.limit, host.connections, host.waited) = (4, connections, 5)
            host.short = connections == 0 ? 0 : 10
            record.hostLimit = host
            record.times.waiting = 5
            record.waits = [WaitRecord(time: 0, seconds: 1, status: nil, error: .serverBusy)]
        }
        let part =
            switch connections {
            case 0: "this one waited 5.0 s for one"
            case 4: "this one could use more, after waiting 5.0 s"
            default: "this one had \(connections), others the rest, after waiting 5.0 s"
            }
        let sentence = story.sentences.first { $0.hasPrefix("the host allows") }
        #expect(sentence == "the host allows 4 connections for all downloads together: \(part)")
        // The same time is not counted as a pause after a failure.
        #expect(!story.causes.contains("retries"))
    }

    @Test(arguments: SingleConnectionReason.allCases)
    func oneConnectionThatHasToDoIsToldWithItsReason(reason: SingleConnectionReason) {
        let story = RecordBuilder().pace(1, each: Self.mega, seconds: 10).with { $0.single = reason }
        #expect(story.causes == ["single"])
        #expect(story.sentences[0].hasPrefix("only one connection is possible, at 1.0 MiB/s: the server "))
        // Who wants one connection is not told that one has to do.
        let one = RecordBuilder(limit: .fixed(1)).pace(1, each: Self.mega, seconds: 10).with { $0.single = reason }
        #expect(one.causes == ["server"])
    }

    @Test func aProxyIsNamedBesideTheServer() {
        let story = RecordBuilder().pace(1, each: Self.mega, seconds: 10).with { $0.proxy = "squid" }
        #expect(story.causes == ["server", "proxy"])
        #expect(story.sentences[1].contains("the proxy squid"))
    }

    // MARK: - Own limits and this machine

    @Test(arguments: [0.2, 0.5, 0.9, 1])
    func theRateLimitCostsTheTimeInWhichItHeldBack(part: Double) {
        let story = RecordBuilder().pace(2, each: Self.mega, seconds: 3).with { $0.heldBack = 10 * part }
        let factor = story.explanation.factors.first { $0.name == "rateLimit" }
        #expect(abs((factor?.share ?? 0) - part) < 1e-9)
        #expect(story.causes.first == (part >= 0.5 ? "rateLimit" : "server"))
        #expect(story.causes.contains("server") == (part < 1))
    }

    @Test func aFullProcessorIsNamedInsteadOfServerAndDisk() {
        let story = RecordBuilder().pace(2, each: Self.mega, seconds: 10).with { record in
            record.processor = ProcessorRecord(seconds: 18.5, wall: 10, cores: 2)
            record.writing = 15
        }
        #expect(story.causes == ["processor"])
        #expect(story.sentences == ["the processor: Haul used 92 % of 2 cores"])
        let idle = story.with { $0.processor = ProcessorRecord(seconds: 16, wall: 10, cores: 2) }
        #expect(idle.causes == ["disk"])
        let short = story.with { $0.processor = ProcessorRecord(seconds: 0.2, wall: 0.1, cores: 2) }
        #expect(short.causes == ["disk"])
    }

    @Test func theAffinityIsNamed() {
        let story = RecordBuilder().pace(2, each: Self.mega, seconds: 10).with { record in
            record.processor = ProcessorRecord(seconds: 9.5, wall: 10, cores: 1)
            record.processor?.machineCores = 4
        }
        #expect(story.causes == ["processor"])
        #expect(
            story.sentences == ["the processor: Haul used 95 % of the 1 core of 4 that it may run on (CPU affinity)"])
    }

    @Test func theQuotaIsNamedInsteadOfServerAndDisk() {
        // Measured: 300 MiB over https with a tenth of a core.
        let story = RecordBuilder(receiving: 4).pace(4, each: 19 * Self.mega, seconds: 4).with { record in
            record.processor = ProcessorRecord(seconds: 0.4, wall: 4, cores: 2)
            record.processor?.quota = 0.1
            record.processor?.throttled = 43.0 / 45
            record.writing = 4
        }
        #expect(story.causes == ["processorQuota"])
        #expect(
            story.sentences == [
                "the CPU quota of the control group, 0.1 cores: Haul used 100 % of it, and was throttled in 95 % of the periods"
            ])
        // Others of the group use it up.
        let shared = story.with { $0.processor?.seconds = 0.1 }
        #expect(shared.causes == ["processorQuota"])
        let half = story.with { record in
            record.processor?.quota = 1.25
            record.processor?.throttled = nil
            record.processor?.seconds = 4.5
        }
        #expect(half.sentences == ["the CPU quota of the control group, 1.25 cores: Haul used 90 % of it"])
    }

    @Test(arguments: [(nil, 0.0), (2.0, 1.0), (3.0, 1.0), (0.5, 0.4)])
    func aQuotaThatIsNotUsedUpIsNoCause(quota: Double?, throttled: Double) {
        let story = RecordBuilder().pace(2, each: Self.mega, seconds: 10).with { record in
            record.processor = ProcessorRecord(seconds: 3, wall: 10, cores: 2)
            record.processor?.quota = quota
            record.processor?.throttled = throttled
        }
        #expect(story.causes == ["server"])
    }

    /// Measured, as parts of the time in which the busiest thread ran and waited: over https as fast as it goes beside 1, 3 and 12 busy programs,
    /// and from servers that send 20 to 170 MB/s.
    @Test(arguments: [
        (0.33, 0.64, true), (0.20, 0.76, true), (0.07, 0.90, true), (0.17, 0.75, true), (0.06, 0.92, true),
        (0.98, 0.02, false), (0.22, 0.34, false), (0.12, 0.43, false), (0.10, 0.29, false), (0.08, 0.50, false),
        (0.05, 0.63, false),
    ])
    func aBusyProcessorIsNamedIfTheBusiestThreadWaitsForIt(ran: Double, waited: Double, isLimit: Bool) {
        let story = RecordBuilder().pace(2, each: Self.mega, seconds: 10).ended(.complete, 2).with { record in
            record.processor = ProcessorRecord(seconds: 3, wall: 10, cores: 2)
            record.processor?.ran = 10 * ran
            record.processor?.waited = 10 * waited
            record.writing = 0.1
        }
        #expect(story.causes == [isLimit ? "processorWait" : "server"])
    }

    @Test func theSentenceOfABusyProcessorNamesTheAffinity() {
        var story = RecordBuilder().pace(2, each: Self.mega, seconds: 10).with { record in
            record.processor = ProcessorRecord(seconds: 3, wall: 10, cores: 2)
            record.processor?.machineCores = 2
            record.processor?.ran = 2
            record.processor?.waited = 7
        }
        let busy = "the processor is busy: Haul's busiest thread waited for it 70 % of the time"
        #expect(story.sentences == [busy])
        story.record.processor?.cores = 1
        #expect(story.sentences == [busy + "; Haul may run on 1 core of 2 (CPU affinity)"])
    }

    @Test(arguments: [(1, 6.0, true), (1, 4.0, false), (4, 6.0, false), (4, 12.0, true)])
    func aSlowDiskShowsInTheTimeThatWritesTake(connections: Int, writing: Double, isDisk: Bool) {
        let story = RecordBuilder().pace(connections, each: Self.mega, seconds: 10).ended(.complete, connections)
            .with { $0.writing = writing }
        #expect(story.causes == [isDisk ? "disk" : "server"])
    }

    // MARK: - Time without bytes

    @Test func aShortFileIsBoundByLatency() {
        let story = RecordBuilder(receiving: 0.01).pace(1, each: Self.mega, seconds: 0).ended(.complete)
            .with { $0.times.asking = 0.09 }
        #expect(story.causes.first == "latency")
        #expect(story.sentences[0] == "latency: 90 ms of waiting for the first byte, in 1 request")
    }

    @Test func waitsArePartedByTheirReasons() {
        let story = RecordBuilder(receiving: 0).with { record in
            record.times.waiting = 40
            record.waits = [
                WaitRecord(time: 0, seconds: 30, status: 503, error: nil),
                WaitRecord(time: 30, seconds: 10, status: nil, error: .connectionFailed),
            ]
        }
        #expect(story.causes == ["serverAsked", "retries"])
        #expect(story.explanation.factors.map(\.share) == [0.75, 0.25])
        #expect(
            story.sentences == [
                "the server asked Haul to retry later (503): no requests for 30.0 s",
                "1 attempt failed: 10.0 s of pauses before the next",
            ])
    }

    @Test(arguments: [ConnectionEnd.stalled, .replaced])
    func silenceAndReplacedConnectionsAreTold(end: ConnectionEnd) {
        let silent = RecordBuilder().pace(1, each: 1, seconds: 10).ended(end, 2).with { $0.times.silent = 30 }
        #expect(silent.causes == ["stalls", "server"])
        #expect(silent.sentences[0] == "no data arrived for 30.0 s, 2 silent or slow connections replaced")
        let covered = RecordBuilder().pace(1, each: 1, seconds: 10).ended(end)
        #expect(covered.causes == ["server", "stalls"])
    }

    @Test(arguments: ["verifying", "files"]) func theEndTakesTimeToo(name: String) {
        let story = RecordBuilder().pace(1, each: 1, seconds: 10).with { record in
            if name == "files" { record.times.files = 30 } else { record.times.verifying = 30 }
        }
        #expect(story.causes == [name, "server"])
        #expect(abs(story.explanation.factors[0].share - 0.75) < 1e-9)
    }

    // MARK: - All of it

    @Test func whatCostsLessThanATwentiethIsLeftOut() {
        let story = RecordBuilder(receiving: 9.6).pace(1, each: 1, seconds: 9).with { $0.times.asking = 0.4 }
        #expect(story.causes == ["server"])
        let none = RecordBuilder(receiving: 0)
        #expect(none.causes == [])
    }

    /// Records of a file may hold anything: no number in them may trap, and the order and bounds hold for all.
    @Test func everyRecordHasAnExplanationWithinItsBounds() {
        let numbers = [0, 0.001, 1, 1e18, 1e308, -1, .infinity, .nan]
        for receiving in numbers {
            for other in numbers {
                for count in [0, 1, 64, Int.max] {
                    var record = TransferRecord(url: "", limit: .fixed(count))
                    record.times.receiving = receiving
                    record.times.silent = other
                    record.times.waiting = other
                    (record.heldBack, record.writing, record.seconds) = (other, other, receiving)
                    record.waits = [WaitRecord(time: 0, seconds: other, status: 503, error: nil)]
                    record.refusals = [RefusalRecord(time: other, connections: count, status: count)]
                    record.refusalCount = count
                    record.processor = ProcessorRecord(seconds: other, wall: receiving, cores: count)
                    record.processor?.quota = other
                    record.processor?.throttled = other
                    record.processor?.ran = other
                    record.processor?.waited = receiving
                    let factors = Explanation(record).factors
                    #expect(factors.allSatisfy { (0...1).contains($0.share) && !$0.description.isEmpty })
                    #expect(factors.map(\.share) == factors.map(\.share).sorted(by: >))
                }
            }
        }
    }
}
