import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal
@testable import HaulManager

@Suite("Events of a manager", .usesSockets)
struct ManagerEventTests {
    static let file = Resource.file(seed: 64, size: 400_000)
    static let stalls = file.script { _ in .stall(after: 200_000) }

    /// The events of a download from its adding to its end, as one subscriber sees them.
    static func course(_ harness: ManagerTrial, interval: Duration) async throws -> [DownloadEvent.Kind] {
        let manager = try harness.manager
        var settings = ManagerSettings()
        settings.progressInterval = interval
        try await manager.update(settings)
        let download = try await manager.add(harness.spec("/a") { $0.startsPaused = true })
        let events = Task {
            var kinds: [DownloadEvent.Kind] = []
            for try await event in download.events {
                kinds.append(event.kind)
                if event.kind.word == "finished" { break }
            }
            return kinds
        }
        while manager.hub.waiterCount == 0 { await Task.yield() }
        try await download.resume()
        return try await events.value
    }

    @Test(
        "started comes before the first progress and knows the size; progress comes as seldom as asked for (U14, U15)")
    func progress() async throws {
        for (interval, maximum) in [(Duration.milliseconds(100), 1000), (.seconds(600), 1)] {
            try await ManagerTrial.run(["/a": Self.file.script(.throttle(400_000))]) { harness in
                let kinds = try await Self.course(harness, interval: interval)
                let words = kinds.map(\.word)
                let started = try #require(words.firstIndex(of: "started"))
                let first = try #require(words.firstIndex(of: "progress"))
                #expect(started < first)
                guard case .started(let facts) = kinds[started], case .finished(let end) = kinds[kinds.count - 1] else {
                    Issue.record("no facts")
                    return
                }
                #expect(facts.totalBytes == 400_000)
                #expect(end.totalBytes == 400_000)
                let count = words.count { $0 == "progress" }
                #expect(maximum == 1 ? count == 1 : count >= 2, "\(count)")
                let bytes = kinds.compactMap {
                    if case .progress(let progress) = $0 { progress.fileBytes } else { nil }
                }
                #expect(bytes == bytes.sorted())
            }
        }
    }

    @Test("what happened since a number is replayed, from memory, from the list, and over a relaunch (U16)")
    func replay() async throws {
        try await ManagerTrial.run([:]) { harness in
            let specs = (0..<2500).map { index in harness.spec("/\(index)") { $0.startsPaused = true } }
            let ids = try await harness.add(specs).map(\.id)
            for since in [0, 1, 1400, 1475, 1476, 1477, 2499] as [Int64] {
                var numbers: [Int64] = []
                for try await event in try harness.manager.events(since: since) {
                    numbers.append(event.number)
                    #expect(event.download == ids[Int(event.number) - 1])
                    if event.number == 2500 { break }
                }
                #expect(numbers == Array((since + 1)...2500))
            }
            await harness.close()
            let manager = try await harness.launch()
            #expect(manager.lastEventNumber == 2500)
            try await manager.remove(ids[7])
            let events = await manager.allEvents()
            #expect(events.map(\.number) == Array(1...2501))
            #expect(events.last?.kind == .removed(.partial))
            var late: [DownloadEvent.Kind] = []
            for try await event in manager.events(since: 2499) {
                late.append(event.kind)
                if late.count == 2 { break }
            }
            #expect(late == [.added, .removed(.partial)])
        }
    }

    @Test(
        "where what happened is not kept any more, the present state comes instead, and then what follows (U16)",
        arguments: [true, false])
    func pruned(isRunning: Bool) async throws {
        try await ManagerTrial.run(["/a": Self.stalls], { $0.settings.eventsKept = 10 }) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a") { $0.startsPaused = !isRunning })
            if isRunning { try await download.until(bytes: 200_000) }
            _ = try await harness.add((0..<2500).map { index in harness.spec("/\(index)") { $0.startsPaused = true } })
            _ = try await harness.add([harness.spec("/new") { $0.startsPaused = true }])
            let last = manager.lastEventNumber
            let subscription = Task {
                var seen: [DownloadEvent] = []
                for try await event in manager.events(since: 1) {
                    seen.append(event)
                    if event.number > last { break }
                }
                return seen
            }
            while manager.hub.waiterCount == 0 { await Task.yield() }
            let newer = try await manager.add(harness.spec("/newer") { $0.startsPaused = true })
            let seen = try await subscription.value
            #expect(seen.last?.kind == .added)
            #expect(seen.last?.download == newer.id)
            #expect(seen.first?.kind.word == (isRunning ? "snapshot" : "added"))
        }
    }

    @Test("a subscriber of one download that missed too much still hears how it ended")
    func prunedOne() async throws {
        try await ManagerTrial.run(["/a": Self.stalls], { $0.settings.eventsKept = 10 }) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until(bytes: 200_000)
            var iterator = download.events.makeAsyncIterator()
            _ = try await iterator.next()
            try await download.cancel()
            _ = try await harness.add((0..<2500).map { index in harness.spec("/\(index)") { $0.startsPaused = true } })
            var state: DownloadState?
            while let event = try await iterator.next() {
                guard case .snapshot(let snapshot) = event.kind else { continue }
                state = snapshot.state
                break
            }
            #expect(state == .cancelled(keptPartial: true))
        }
    }

    @Test("a number from another list: what happens from now on is heard all the same")
    func future() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a") { $0.startsPaused = true })
            let subscription = Task { try await manager.events(since: 5000).first { $0.kind.word == "removed" } }
            while manager.hub.waiterCount == 0 { await Task.yield() }
            try await download.remove()
            #expect(try await subscription.value?.download == download.id)
        }
    }

    @Test("any number of observers hear the same; one that comes late gets the present state first (U18)")
    func observers() async throws {
        try await ManagerTrial.run(["/a": Self.stalls, "/b": Self.file]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until(bytes: 200_000)
            let subscription = (0..<5).map { _ in
                Task {
                    var words: [String] = []
                    for try await event in download.events where event.kind.word != "progress" {
                        words.append(event.kind.word)
                        if event.kind.word == "finished" { break }
                    }
                    return words
                }
            }
            while manager.hub.waiterCount < 5 { await Task.yield() }
            _ = try await manager.add(harness.spec("/b")).finished()
            harness.server.set("/a", Self.file)
            try await download.pause()
            try await download.resume()
            for task in subscription {
                #expect(try await task.value == ["snapshot", "paused", "resumed", "started", "finished"])
            }
            var late = download.events.makeAsyncIterator()
            guard case .snapshot(let snapshot)? = try await late.next()?.kind else {
                Issue.record("no snapshot")
                return
            }
            #expect(snapshot.state.kind == .finished)
        }
    }

    @Test("leaving the loop, or cancelling who waits, unsubscribes and touches no download (U18)")
    func leaving() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until(bytes: 200_000)
            let waiting = (0..<10).map { index in
                Task {
                    if index < 5 {
                        _ = try await download.finished()
                    } else {
                        _ = try await manager.events().first { _ in false }
                    }
                }
            }
            while manager.hub.waiterCount < 10 { await Task.yield() }
            for task in waiting { task.cancel() }
            for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
            #expect(manager.hub.waiterCount == 0)
            #expect(try await download.state == .running)
            for try await _ in download.events { break }
            #expect(manager.hub.waiterCount == 0)
        }
    }

    @Test("each run has exactly one end, also where runs fail, wait and are interrupted (T11)")
    func oneEnd() async throws {
        let breaks = Self.file.script { facts in
            facts.number < 3 ? .stall(after: 100_000) : facts.number == 3 ? .stall(after: 50_000) : .normal
        }
        try await ManagerTrial.run(["/a": breaks, "/c": Self.file]) { harness in
            let all = try await harness.add(
                ["/a", "/b", "/c"].map { path in harness.spec(path) { $0.idleTimeout = .milliseconds(500) } })
            try await all[0].until(bytes: 250_000)
            _ = try await all[2].finished()
            await harness.close()
            let manager = try await harness.launch()
            await manager.idle()
            let events = await manager.allEvents()
            expectOneEndPerRun(events)
            let ends = Dictionary(grouping: events.filter(\.kind.endsRun), by: \.download).mapValues {
                // Whether the run that was interrupted had its idle timeout before is a matter of time.
                $0.map(\.kind.word).filter { $0 != "waiting" }
            }
            #expect(ends == [all[0].id: ["finished"], all[1].id: ["failed"], all[2].id: ["finished"]])
        }
    }
}
