import HaulCore
import Synchronization
import Testing

@testable import HaulCLI

@Suite struct GetRunTests {
    private static func urls(_ count: Int) -> [String] { (1...count).map { "http://h/\($0)" } }

    private static let facts = FinishFacts(
        path: "a", totalBytes: 1, sessionBytes: 1, seconds: 0, verified: nil, kept: false)

    private func console() -> Console {
        Console(reporters: [], now: { .zero }, onBrokenOutput: {})
    }

    @Test(arguments: [1, 2, 3, 9]) func atMostSoManyRunAtOnceAndAllRun(jobs: Int) async throws {
        var plan = GetPlan(urls: Self.urls(12))
        plan.jobs = jobs
        let console = console()
        let counts = Mutex((now: 0, most: 0))
        let run = GetRun(plan, console: console) { _, _, _ in
            counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<5 { await Task.yield() }
            counts.withLock { $0.now -= 1 }
            return .success(Self.facts)
        }
        let (stops, stop) = AsyncStream.makeStream(of: StopReason.self)
        let reason = await run.run(try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: stops)
        stop.finish()
        #expect(reason == nil)
        #expect(console.tally.complete == 12)
        #expect(counts.withLock { $0.most } <= jobs)
        if jobs == 1 { #expect(counts.withLock { $0.most } == 1) }
    }

    @Test func theSpecHoldsTheURLAndTheOptions() async throws {
        var plan = GetPlan(urls: ["http://me:pw@h/x"])
        plan.template.retries = 77
        let seen = Mutex<DownloadSpec?>(nil)
        let run = GetRun(plan, console: console()) { _, spec, _ in
            seen.withLock { $0 = spec }
            return .success(Self.facts)
        }
        _ = await run.run(
            try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
        let spec = seen.withLock { $0 }
        #expect(spec?.url == "http://me:pw@h/x" && spec?.retries == 77)
    }

    @Test func theEndIsReportedOnceHoweverOftenItIsTold() async throws {
        let plan = GetPlan(urls: Self.urls(2))
        let console = console()
        let run = GetRun(plan, console: console) { _, _, tell in
            tell(.finished(Self.facts))
            tell(.finished(Self.facts))
            return .success(Self.facts)
        }
        _ = await run.run(
            try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
        #expect(console.tally.complete == 2)
    }

    @Test(arguments: StopReason.allCases) func aStopCancelsWhatRunsAndLeavesOutTheRest(stop: StopReason) async throws {
        var plan = GetPlan(urls: Self.urls(5))
        plan.jobs = 2
        let console = console()
        let (stops, signal) = AsyncStream.makeStream(of: StopReason.self)
        let begun = Mutex(0)
        let run = GetRun(plan, console: console) { _, _, _ in
            if begun.withLock({
                $0 += 1; return $0
            }) == 2 {
                signal.yield(stop)
            }
            // Ends by cancellation alone.
            for await _ in AsyncStream<Never>(unfolding: {
                try? await Task.sleep(for: .seconds(600)); return nil
            }) {}
            return .failure(DownloadError(.cancelled, "stopped"))
        }
        let reason = await run.run(try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: stops)
        #expect(reason == stop)
        #expect(console.tally.stopped == 2 && console.tally.cutShort)
        #expect(console.exitCode(stop: reason) == stop.exitCode)
    }
}
