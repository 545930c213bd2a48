import Haul
import HaulCore
import HaulLocal
import HaulTestData
import HaulTestTraits
import HaulTesting
import Testing

@Suite("The counters of hosts")
struct HostCountersTests {
    private func total(_ counters: HostCounters) -> Int {
        counters.numbers.reduce(0) { $0 + $1.numbers.retries + $1.numbers.failures }
    }

    @Test("retries and failures of a host are counted apart, and those of unknown hosts as other")
    func kinds() {
        var counters = HostCounters()
        for _ in 0..<3 { counters.count(.retry, of: "a") }
        counters.count(.failure, of: "a")
        counters.count(.failure, of: HostCounters.other)
        #expect(counters.numbers.map(\.host) == ["a", "other"])
        #expect(counters.numbers[0].numbers.retries == 3 && counters.numbers[0].numbers.failures == 1)
        #expect(counters.numbers[1].numbers.failures == 1)
    }

    @Test("a busier host replaces the least busy one, whose numbers are added to other")
    func busiest() {
        var counters = HostCounters(limit: 2)
        for host in ["a", "a", "a", "b", "c"] { counters.count(.failure, of: host) }
        #expect(counters.numbers.map(\.host) == ["a", "b", "other"])
        counters.count(.failure, of: "c")
        #expect(counters.numbers.map(\.host) == ["a", "c", "other"])
        #expect(counters.numbers.map(\.numbers.failures) == [3, 1, 2])
    }

    @Test("with any order of ten thousand hosts, names are few, no number is lost, and other never falls")
    func many() {
        var random = SeededGenerator(seed: 7)
        var counters = HostCounters(limit: 5, tracked: 20)
        var other = 0
        for number in 1...10_000 {
            let host = "h\(Int.random(in: 0..<Int.random(in: 1...10_000, using: &random), using: &random))"
            counters.count(Bool.random(using: &random) ? .retry : .failure, of: host)
            #expect(counters.numbers.count <= 6 && total(counters) == number)
            let last = counters.numbers.last.map { $0.numbers.retries + $0.numbers.failures } ?? 0
            #expect(last >= other)
            other = last
        }
    }
}

@Suite("The figures of a manager", .usesSockets)
struct ManagerFiguresTests {
    @Test("finished and failed downloads, retries and received bytes are counted")
    func counted() async throws {
        let good = Resource.file(seed: 1, size: 300_000)
        let flaky = Resource.file(seed: 2, size: 1000).script { $0.number == 1 ? .status(503) : .normal }
        try await ManagerTrial.run(["/good": good, "/flaky": flaky]) { trial in
            let manager = try trial.manager
            for path in ["/good", "/flaky", "/missing", "/missing2"] {
                let download = try await manager.add(trial.spec(path))
                _ = try? await download.finished()
            }
            let figures = try #require(await manager.figures)
            #expect(figures.finished == 2 && figures.failed == [.notFound: 2])
            #expect(figures.receivedBytes == 301_000)
            let host = try #require(figures.hosts.numbers.first)
            #expect(host.host == "127.0.0.1" && host.numbers.failures == 2 && host.numbers.retries == 1)
            #expect(figures.list != nil && figures.hookFailures == 0)
        }
    }
}
