import Foundation
import Haul
import HaulProcesses
import HaulTesting
import Logging
import Synchronization
import Testing

@Suite struct HookRunnerTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keeps what it is told.
    private final class Reports: Sendable {
        private let kept = Mutex<[HookReport]>([])
        func add(_ report: HookReport) { kept.withLock { $0.append(report) } }
        var all: [HookReport] { kept.withLock { $0 } }
        var outcomes: [HookOutcome] { all.map(\.outcome) }
        var keys: [String] { all.map { $0.context.key ?? "" } }
    }

    private static let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    @Test func runsOneAtATimeInOrderOfArrival() async throws {
        let command = try await hook("echo \"+$HAUL_KEY\" >> \"$HERE/log\"; echo \"-$HAUL_KEY\" >> \"$HERE/log\"")
        let keys = (0..<8).map(String.init)
        let reports = await run { runner in for key in keys { runner.submit(context(key), to: [command]) } }
        #expect(reports.keys == keys)
        #expect(reports.outcomes == keys.map { _ in .ended(.exited(code: 0)) })
        #expect(folder.text("log") == keys.map { "+\($0)\n-\($0)\n" }.joined())
    }

    @Test func givesVariablesAndJSON() async throws {
        let command = try await hook("env | grep ^HAUL_ | sort > \"$HERE/env\"; cat > \"$HERE/json\"")
        let context = try #require(Sample.context())
        _ = await run { $0.submit(context, to: [command]) }
        let expected = HookInvocation(command, context)
        let lines = expected.variables.map { "\($0.key)=\($0.value)\n" }.sorted().joined()
        #expect(folder.text("env") == lines)
        #expect(folder.bytes("json") == expected.input)
    }

    @Test(arguments: HookEvent.allCases)
    func runsOnlyWhatIsMeantForTheEvent(event: HookEvent) async throws {
        var context = context("k")
        context.event = event
        let commands = try HookEvent.allCases.map { try HookCommand(on: [$0], arguments: ["true", $0.rawValue]) }
        let due = context
        let reports = await run { $0.submit(due, to: commands) }
        #expect(reports.all.map(\.command.arguments) == [["true", event.rawValue]])
    }

    @Test func tellsHowEachEndedAndGoesOn() async throws {
        let commands = [
            try await hook("exit 3", "a"), try await hook("kill -9 $$", "b"),
            try HookCommand(on: [.completed], arguments: ["no-such-program-anywhere"]),
            try HookCommand(on: [.completed], arguments: [folder.path("missing")]),
            try await hook("sleep 60", "c", timeout: .milliseconds(100)), try await hook("exit 0", "d"),
        ]
        let reports = await run { $0.submit(context("k"), to: commands) }
        #expect(reports.all.map(\.command) == commands)
        #expect(reports.outcomes[0] == .ended(.exited(code: 3)))
        #expect(reports.outcomes[1] == .ended(.signalled(9)))
        for index in 2...3 {
            guard case .ended(.couldNotStart(let reason)) = reports.outcomes[index] else {
                Issue.record("\(reports.outcomes[index])")
                continue
            }
            #expect(!reason.isEmpty)
        }
        #expect(reports.outcomes[4...] == [.ended(.timedOut), .ended(.exited(code: 0))])
    }

    @Test func findsProgramsInThePathItWasGiven() async throws {
        try await folder.script("mine", "exit 5")
        let reports = Reports()
        let runner = HookRunner(environment: ["PATH": folder.path], logger: Self.quiet, reported: reports.add)
        let command = try HookCommand(on: [.completed], arguments: ["mine"])
        await serve(runner) { $0.submit(context("k"), to: [command]) }
        #expect(reports.outcomes == [.ended(.exited(code: 5))])
    }

    @Test func dropsTheOldestThatWait() async throws {
        let command = try HookCommand(on: [.completed], arguments: ["true"])
        let reports = Reports()
        let runner = HookRunner(limit: 2, logger: Self.quiet, reported: reports.add)
        for key in ["1", "2", "3", "4", "5"] { runner.submit(context(key), to: [command]) }
        #expect(reports.keys == ["1", "2", "3"])
        #expect(reports.outcomes == [.dropped, .dropped, .dropped])
        await serve(runner) { _ in }
        #expect(reports.keys == ["1", "2", "3", "4", "5"])
        #expect(reports.outcomes.suffix(2) == [.ended(.exited(code: 0)), .ended(.exited(code: 0))])
    }

    @Test func closingWaitsForTheOneAtWorkAndDropsTheRest() async throws {
        let up = try Fifo("up", in: folder)
        // The second program waits for the file that only the test makes.
        let slow = try await hook("echo up > \"$HERE/up\"; until test -e \"$HERE/go\"; do sleep 0.02; done; exit 6")
        let reports = Reports()
        let (reported, note) = AsyncStream.makeStream(of: HookReport.self)
        let runner = HookRunner(logger: Self.quiet) {
            reports.add($0)
            note.yield($0)
        }
        async let running: Void = runner.run()
        for key in ["1", "2", "3"] { runner.submit(context(key), to: [slow]) }
        #expect(await up.first() == "up\n")
        async let closing: Void = runner.close()
        for await report in reported where report.context.key == "3" { break }
        #expect(reports.keys == ["2", "3"])
        try folder.put([], "go")
        await closing
        #expect(reports.keys == ["2", "3", "1"])
        #expect(reports.outcomes == [.dropped, .dropped, .ended(.exited(code: 6))])
        await running
        runner.submit(context("4"), to: [slow])
        #expect(reports.outcomes.last == .dropped)
    }

    @Test("A program that nobody waits for continues, also after the runner was closed")
    func left() async throws {
        let done = try Fifo("done", in: folder)
        var slow = try await hook("until test -e \"$HERE/go\"; do sleep 0.02; done; echo done > \"$HERE/done\"")
        slow.patience = .milliseconds(1)
        let command = slow
        let reports = await run { $0.submit(context("1"), to: [command]) }
        #expect(reports.outcomes == [.left])
        try folder.put([], "go")
        #expect(await done.first() == "done\n")
    }

    @Test func cancellingKillsTheOneAtWork() async throws {
        let up = try Fifo("up", in: folder)
        let slow = try await hook("exec 9>\"$HERE/up\"; echo up >&9; sleep 60")
        let reports = Reports()
        let runner = HookRunner(logger: Self.quiet, reported: reports.add)
        let task = Task { await runner.run() }
        for key in ["1", "2"] { runner.submit(context(key), to: [slow]) }
        #expect(await up.first() == "up\n")
        task.cancel()
        await task.value
        await runner.idle()
        #expect(reports.keys == ["1", "2"])
        #expect(reports.outcomes == [.ended(.cancelled), .dropped])
        #expect(await up.rest() == "")
    }

    @Test func closingOneThatNeverRanReturns() async throws {
        let runner = HookRunner(logger: Self.quiet)
        await runner.idle()
        runner.submit(context("1"), to: [try HookCommand(on: [.completed], arguments: ["true"])])
        await runner.close()
        await runner.run()
        await runner.idle()
    }

    private func context(_ key: String) -> HookContext {
        var context = HookContext.idle(time: Sample.time)
        context.event = .completed
        context.key = key
        return context
    }

    private func hook(_ script: String, _ name: String = "hook", timeout: Duration = .seconds(30)) async throws
        -> HookCommand
    {
        try HookCommand(on: [.completed], arguments: [try await folder.script(name, script)], timeout: timeout)
    }

    private func run(_ submit: (HookRunner) -> Void) async -> Reports {
        let reports = Reports()
        await serve(HookRunner(logger: Self.quiet, reported: reports.add), submit)
        return reports
    }

    /// Runs all that is submitted, then closes.
    private func serve(_ runner: HookRunner, _ submit: (HookRunner) -> Void) async {
        async let running: Void = runner.run()
        submit(runner)
        await runner.idle()
        await runner.close()
        await running
    }
}
