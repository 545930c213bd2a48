import HaulCore
import Synchronization
import Testing

@testable import HaulCLI

@Suite struct ConsoleTests {
    /// Notes the times at which it is told something, and writes nothing.
    private struct Recorder: Reporter {
        let times: @Sendable (Duration) -> Void

        func take(_ report: Report, tally: Tally, at now: Duration) { times(now) }
        func output(at now: Duration, window: WindowSize) -> Output { Output() }
    }

    @Test func everyReporterIsToldInOrderAndTheTallyIsKept() async throws {
        let times = Mutex<[Duration]>([])
        let clock = Mutex(0)
        let recorder = Recorder { now in times.withLock { $0.append(now) } }
        let console = Console(
            reporters: [recorder, recorder],
            now: {
                .seconds(
                    clock.withLock {
                        $0 += 1; return $0
                    })
            }
        ) {}
        let job = try Scene.job(1, "http://h/a")
        console.report(.began(job))
        console.report(.event(job, Scene.finished("a", 7)))
        console.report(.badLine(BadLine(id: 2, list: "l", line: 1, message: "m")))
        #expect(times.withLock { $0 } == [1, 1, 2, 2, 3, 3].map { .seconds($0) })
        #expect(console.tally.complete == 1 && console.tally.bytes == 7)
        #expect(console.exitCode(stop: nil) == .invalidRequest)
        await console.end()
    }

    @Test func reportsFromManyTasksAreAllCounted() async throws {
        let console = Console(reporters: [PlainReporter(expected: nil, quiet: true)], now: { .zero }) {}
        await withTaskGroup { group in
            for id in 1...500 {
                group.addTask { @concurrent in
                    guard let job = try? Scene.job(id, "http://h/\(id)") else { return }
                    await console.settle()
                    console.report(.event(job, Scene.finished("a", 1)))
                }
            }
        }
        await console.end()
        #expect(console.tally.complete == 500 && console.tally.bytes == 500)
    }
}
