import Foundation
import Haul
import HaulCore
import HaulTesting
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
        let counts = Mutex((now: 0, maximum: 0))
        let run = GetRun(plan, console: console) { _, _, _, _ in
            counts.withLock { $0 = ($0.now + 1, max($0.maximum, $0.now + 1)) }
            for _ in 0..<5 { await Task.yield() }
            counts.withLock { $0.now -= 1 }
            return .success(Self.facts)
        }
        let (stops, stop) = AsyncStream.makeStream(of: StopReason.self)
        let reason = await run.run(try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: stops)
        stop.finish()
        #expect(reason == nil)
        #expect(console.tally.complete == 12)
        #expect(counts.withLock { $0.maximum } <= jobs)
        if jobs == 1 { #expect(counts.withLock { $0.maximum } == 1) }
    }

    @Test func theSpecHoldsTheURLAndTheOptions() async throws {
        var plan = GetPlan(urls: ["http://me:pw@h/x"])
        plan.template.retries = 77
        let seen = Mutex<DownloadSpec?>(nil)
        let run = GetRun(plan, console: console()) { _, spec, _, _ in
            seen.withLock { $0 = spec }
            return .success(Self.facts)
        }
        _ = await run.run(
            try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
        let spec = seen.withLock { $0 }
        #expect(spec?.url == "http://me:pw@h/x" && spec?.retries == 77)
    }

    @Test(
        "of downloads with one name, each starts when the one before it has its path or has ended",
        .timeLimit(.minutes(1)), arguments: [true, false], [2, 4])
    func sameNames(reports: Bool, jobs: Int) async throws {
        var plan = GetPlan(urls: ["http://h/a/x.bin", "http://h/b/x.bin", "http://h/c/x.bin?n=1", "http://h/d/y.bin"])
        plan.jobs = jobs
        // Otherwise the second one of a name is an error.
        plan.template.onConflict = .rename
        let order = Mutex<[Int]>([])
        let (others, other) = AsyncStream.makeStream(of: Void.self)
        let run = GetRun(plan, console: console()) { job, _, _, report in
            order.withLock { $0.append(job.id) }
            if job.id == 4 { other.finish() }
            // The one with another name is not held up.
            if job.id == 1 { for await _ in others {} }
            if reports { report(.started(StartFacts(path: "x.bin", totalBytes: 1, resumedBytes: 0, insecure: false))) }
            return .success(Self.facts)
        }
        _ = await run.run(
            try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
        let begun = order.withLock { $0 }
        #expect(begun.filter { $0 != 4 } == [1, 2, 3] && begun.count == 4)
    }

    @Test("a file that another URL of the run has saved is not kept as that of this one", arguments: [true, false])
    func savedByAnother(hasQuery: Bool) async throws {
        let end = hasQuery ? "?id=" : ""
        var plan = GetPlan(urls: ["http://h/x\(end)", "http://h/\(hasQuery ? "" : "a/")x\(end)7", "http://h/x\(end)"])
        if !hasQuery { plan = GetPlan(urls: ["http://h/x", "http://h/a/x", "http://h/x"]) }
        plan.jobs = 1
        plan.template.onConflict = .skip
        let console = console()
        let count = Mutex(0)
        let run = GetRun(plan, console: console) { _, _, _, report in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst {
                report(.started(StartFacts(path: "./x", totalBytes: 1, resumedBytes: 0, insecure: false)))
            }
            return .success(
                FinishFacts(path: "./x", totalBytes: 1, sessionBytes: 1, seconds: 0, verified: nil, kept: !isFirst))
        }
        _ = await run.run(
            try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
        #expect(console.tally.complete == 2 && console.exitCode(stop: nil) == .destinationExists)
    }

    @Test(
        "a download that a list has twice waits for the first one, and keeps its file",
        arguments: [ConflictPolicy.fail, .replace, .skip], [true, false])
    func repeated(policy: ConflictPolicy, succeeds: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.put(Array("http://h/x\nhttp://h/x\n".utf8), "list")
        var plan = GetPlan(urls: [], list: folder.path("list"))
        plan.jobs = 2
        plan.template.onConflict = policy
        let console = console()
        let seen = Mutex<[ConflictPolicy]>([])
        let run = GetRun(plan, console: console) { job, spec, _, report in
            seen.withLock { $0.append(spec.onConflict) }
            guard job.id == 1 else {
                return .success(
                    FinishFacts(path: "./x", totalBytes: 1, sessionBytes: 0, seconds: 0, verified: nil, kept: true))
            }
            report(.started(StartFacts(path: "./x", totalBytes: 1, resumedBytes: 0, insecure: false)))
            for _ in 0..<1000 { await Task.yield() }
            #expect(seen.withLock { $0.count } == 1)
            guard succeeds else { return .failure(DownloadError(.timedOut, "x")) }
            return .success(
                FinishFacts(path: "./x", totalBytes: 1, sessionBytes: 1, seconds: 0, verified: nil, kept: false))
        }
        _ = await run.run(
            try JobQueue(urls: [], list: plan.list, template: plan.template), stops: AsyncStream { _ in })
        // If the first one has failed, the second one is a download like others.
        #expect(seen.withLock { $0 } == [policy, succeeds ? .skip : policy])
        #expect(console.tally.complete == (succeeds ? 2 : 1))
    }

    @Test("an existing file is kept for one URL of the run only", arguments: [1, 4])
    func existed(jobs: Int) async throws {
        for end in ["", "?id=1"] {
            var plan = GetPlan(urls: ["http://a/x\(end)", "http://b/x\(end)", "http://c/x\(end)", "http://a/x\(end)"])
            plan.jobs = jobs
            plan.template.onConflict = .skip
            let console = console()
            let run = GetRun(plan, console: console) { _, _, _, _ in
                .success(
                    FinishFacts(path: "./x", totalBytes: 1, sessionBytes: 0, seconds: 0, verified: nil, kept: true))
            }
            _ = await run.run(
                try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
            let tally = console.tally
            #expect(tally.complete + tally.failed == 4 && console.exitCode(stop: nil) == .destinationExists)
            // Without a name that is known beforehand, the one that ends first gets the file.
            #expect(end.isEmpty || jobs == 1 ? tally.failed == 2 : [2, 3].contains(tally.failed))
        }
    }

    @Test(
        "one URL with other options in a list is another file, which neither replaces nor is the first one",
        arguments: ["range=100-299", "header=X-Which: b", "raw=true"], [ConflictPolicy.skip, .keep, .replace, .fail])
    func variants(option: String, policy: ConflictPolicy) async throws {
        let folder = try TemporaryFolder()
        try folder.put(Array("http://h/x\nhttp://h/x\n  \(option)\nhttp://h/x\n".utf8), "list")
        var plan = GetPlan(urls: [], list: folder.path("list"))
        plan.jobs = 1
        plan.template.onConflict = policy
        let console = console()
        let begun = Mutex<[Int]>([])
        let run = GetRun(plan, console: console) { job, _, _, report in
            let isFirst = begun.withLock { begun in
                begun.append(job.id)
                return begun.count == 1
            }
            report(.started(StartFacts(path: "./x", totalBytes: 1, resumedBytes: 0, insecure: false)))
            return .success(
                FinishFacts(path: "./x", totalBytes: 1, sessionBytes: 1, seconds: 0, verified: nil, kept: !isFirst))
        }
        _ = await run.run(
            try JobQueue(urls: [], list: plan.list, template: plan.template), stops: AsyncStream { _ in })
        // The third one is the first one again.
        #expect(begun.withLock { $0 } == [1, 3])
        #expect(console.tally.complete == 2 && console.exitCode(stop: nil) == .destinationExists)
    }

    @Test("a new file that is found before the download of another URL has reported it is not kept, either")
    func keptTooEarly() async throws {
        let folder = try TemporaryFolder()
        var plan = GetPlan(urls: ["http://h/a?f=1", "http://h/b?f=1"])
        plan.jobs = 2
        plan.template.onConflict = .skip
        let path = folder.path("x")
        @Sendable func facts(kept: Bool) -> FinishFacts {
            FinishFacts(path: path, totalBytes: 1, sessionBytes: 1, seconds: 0, verified: nil, kept: kept)
        }
        let console = console()
        let (found, find) = AsyncStream.makeStream(of: Void.self)
        let run = GetRun(plan, console: console) { _, spec, _, onEvent in
            if spec.url.hasPrefix("http://h/b") {
                // It is created now: the run may begin late on a busy machine.
                try? folder.put([1], "x")
                find.finish()
                return .success(facts(kept: true))
            }
            // Its file is there, and the other download has found it.
            for await _ in found {}
            for _ in 0..<1000 { await Task.yield() }
            onEvent(.started(StartFacts(path: path, totalBytes: 1, resumedBytes: 0, insecure: false)))
            return .success(facts(kept: false))
        }
        _ = await run.run(
            try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
        #expect(console.tally.complete == 1 && console.tally.failed == 1)
    }

    @Test func theEndIsReportedOnceHoweverOftenItIsTold() async throws {
        let plan = GetPlan(urls: Self.urls(2))
        let console = console()
        let run = GetRun(plan, console: console) { _, _, _, report in
            report(.finished(Self.facts))
            report(.finished(Self.facts))
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
        let run = GetRun(plan, console: console) { _, _, _, _ in
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

    @Test(
        "downloads that wait for their next attempt do not delay the others, and end after them", arguments: [1, 3])
    func parked(jobs: Int) async throws {
        var plan = GetPlan(urls: Self.urls(22))
        plan.jobs = jobs
        let console = console()
        let counts = Mutex((good: 0, now: 0, maximum: 0, order: [Bool]()))
        let run = GetRun(plan, console: console) { job, _, slot, _ in
            counts.withLock {
                $0.now += 1; $0.maximum = max($0.maximum, $0.now)
            }
            let isDead = job.id <= 12
            if isDead {
                #expect(slot.park())
                counts.withLock { $0.now -= 1 }
                while counts.withLock({ $0.good < 10 }) { await Task.yield() }
                while !slot.reclaim() { await Task.yield() }
                counts.withLock {
                    $0.now += 1; $0.maximum = max($0.maximum, $0.now)
                }
            }
            for _ in 0..<5 { await Task.yield() }
            counts.withLock { counts in
                counts.now -= 1
                counts.order.append(isDead)
                counts.good += isDead ? 0 : 1
            }
            return isDead ? .failure(DownloadError(.serverBusy, "busy")) : .success(Self.facts)
        }
        _ = await run.run(
            try JobQueue(urls: plan.urls, list: nil, template: plan.template), stops: AsyncStream { _ in })
        #expect(console.tally.complete == 10 && console.tally.failed == 12)
        #expect(counts.withLock { $0.order } == Array(repeating: false, count: 10) + Array(repeating: true, count: 12))
        #expect(counts.withLock { $0.maximum } <= jobs)
    }

    @Test(
        "a list whose server is busy does not delay the others", .enabled(if: BuiltProgram.exists),
        .timeLimit(.minutes(5)))
    func program() async throws {
        var resources: [String: Resource] = [:]
        for number in 0..<12 {
            resources["/busy\(number)"] = .text("").script { _ in .status(503, ["Retry-After": "4"]) }
        }
        for number in 0..<10 { resources["/good\(number)"] = .file(seed: UInt64(number), size: 100_000) }
        try await FaultServer.run(resources) { server in
            let folder = try TemporaryFolder()
            let list = ((0..<12).map { server.url("/busy\($0)") } + (0..<10).map { server.url("/good\($0)") })
                .joined(separator: "\n")
            let end = try await BuiltProgram.run(
                ["get", "-i", "-", "-j", "3", "--retries", "1", "--json"], in: folder, input: list)
            #expect(end.status == 10)
            let ends = end.output.split(separator: "\n").compactMap { line -> String? in
                line.contains("\"event\":\"finished\"") ? "good" : line.contains("\"event\":\"failed\"") ? "busy" : nil
            }
            #expect(ends.count == 22 && ends.prefix(10).allSatisfy { $0 == "good" }, "\(ends)")
            for number in 0..<10 {
                #expect(folder.bytes("good\(number)") == resources["/good\(number)"]?.allBytes)
            }
        }
    }

    @Test("dead hosts fail within two seconds", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
    func deadHosts() async throws {
        let folder = try TemporaryFolder()
        let list = (0..<6).map { "http://127.0.0.1:1/\($0)" }.joined(separator: "\n")
        let began = ContinuousClock.now
        let end = try await BuiltProgram.run(["get", "-i", "-", "-j", "6"], in: folder, input: list)
        #expect(end.status == 5)
        // Two seconds, and what a busy machine takes to start a program; with all retries it would be 15 s.
        #expect(ContinuousClock.now - began < .seconds(12))
    }

    @Test("a body that is cut short is reported as such", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
    func cutShort() async throws {
        let resource = Resource.file(seed: 4, size: 1_000_000).script { _ in
            .ignoringRange().etag(nil).cut(after: 300_000)
        }
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(["get", "--retries", "1", server.url("/f")], in: folder)
            #expect(end.status == 5)
            let message = " of 1000000 bytes <\(server.url("/f"))>"
            let isReported = end.error.contains("the connection was closed after ") && end.error.contains(message)
            #expect(isReported, "\(end.error)")
            #expect(!end.error.contains("has changed") && folder.bytes("f") == nil)
        }
    }

    @Test(
        "the limits of a download reach it, with their exit codes", .enabled(if: BuiltProgram.exists),
        .timeLimit(.minutes(5)),
        arguments: [
            (
                [], ServerScript.status(503, ["Retry-After": "3600"]), 10,
                "asks to wait 3600 s (1 h), longer than the 60 s allowed"
            ),
            (["--max-time", "1"], .stall(after: 50_000), 6, "not complete after 1 s"),
            (["--min-speed", "1M:1", "--retries", "0"], .throttle(20_000), 6, "slower than 1.0 MiB/s for 1 s"),
        ] as [([String], ServerScript, Int32, String)])
    func limits(arguments: [String], script: ServerScript, status: Int32, message: String) async throws {
        try await FaultServer.run(["/f": Resource.file(seed: 4, size: 1_000_000).script { _ in script }]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(["get", server.url("/f")] + arguments, in: folder)
            #expect(end.status == status && end.error.contains(message), "\(end.error)")
            #expect(folder.bytes("f") == nil)
        }
    }
}
