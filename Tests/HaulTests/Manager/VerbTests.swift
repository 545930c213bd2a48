import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Verbs", .usesSockets)
struct VerbTests {
    static let file = Resource.file(seed: 62, size: 400_000)
    static let stalls = file.script { _ in .stall(after: 200_000) }

    @Test("by handle, by key, by place in the list (U2)")
    func ways() async throws {
        try await ManagerTrial.run(["/a": Self.stalls, "/b": Self.stalls, "/c": Self.stalls]) { harness in
            let manager = try harness.manager
            let all = try await harness.add(
                ["/a", "/b", "/c"].map { path in harness.spec(path) { $0.key = "key of \(path)" } })
            for download in all { try await download.until(bytes: 200_000) }
            try await all[0].pause()
            try await #require(try await manager.download(key: "key of /b")).cancel()
            try await #require(try await manager.download(at: 2)).pause()
            #expect(try await all[0].state == .paused(.asked))
            #expect(try await all[1].state == .cancelled(keptPartial: true))
            #expect(try await all[2].state == .paused(.asked))
            #expect(try await manager.download(all[2].id) == all[2])
            #expect(try await manager.download(at: 3) == nil)
            for path in ["/a", "/b", "/c"] { harness.server.set(path, Self.file) }
            try await all[2].resume()
            try await all[1].retry()
            try await all[0].resume()
            for download in all { #expect(try await download.finished().sessionBytes == 200_000) }
        }
    }

    @Test("all, a group, a tag, those in a state: each says how many it changed (U3)")
    func many() async throws {
        let paths = (0..<6).map { "/\($0)" }
        let files = Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.stalls) })
        try await ManagerTrial.run(files, { $0.settings.limit = 4 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add(
                paths.enumerated().map { index, path in
                    harness.spec(path) { spec in
                        spec.group = index < 3 ? "first" : "second"
                        spec.tags = index.isMultiple(of: 2) ? ["even"] : []
                    }
                })
            for download in all[..<4] { try await download.until(bytes: 200_000) }
            func states() async throws -> [DownloadState.Kind] { try await manager.snapshots().map(\.state.kind) }
            // The group has three at work, so that the two that wait take their places.
            #expect(try await manager.pause(.group("first")) == 3)
            for download in all[3...] { try await download.until(bytes: 200_000) }
            #expect(try await states() == [.paused, .paused, .paused, .running, .running, .running])
            #expect(try await manager.pause(.tag("even")) == 1)
            #expect(try await manager.pause(.tag("even")) == 0)
            #expect(try await manager.cancel(.state(.running), keepPartial: false) == 2)
            #expect(harness.names.filter { $0.hasSuffix(".part") } == ["0.part", "1.part", "2.part", "4.part"])
            #expect(try await states() == [.paused, .paused, .paused, .cancelled, .paused, .cancelled])
            for path in paths { harness.server.set(path, Self.file) }
            #expect(try await manager.resume(.all) == 4)
            #expect(try await manager.retry(.all) == 2)
            await manager.idle()
            #expect(try await states() == Array(repeating: .finished, count: 6))
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("remove counts each once, whatever it does, and leaves no file behind (U3)")
    func removeAll() async throws {
        let files = ["/a": Self.file, "/b": Self.stalls, "/c": Self.stalls, "/d": Self.stalls]
        try await ManagerTrial.run(files, { $0.settings.limit = 2 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add(["/a", "/b", "/c", "/d"].map { harness.spec($0) })
            _ = try await all[0].finished()
            try await all[1].until(bytes: 200_000)
            try await all[2].until(bytes: 200_000)
            try await all[2].pause()
            #expect(try await manager.remove(.all, files: .all) == 4)
            #expect(try await manager.count() == 0)
            #expect(harness.names == [])
            #expect(try await manager.summary().counts == [:])
            #expect(await manager.allEvents().count { $0.kind.word == "removed" } == 4)
        }
    }

    @Test(
        "cancel keeps the partial or clears it; the last event says which, and everybody who waits hears (U4, T3)",
        arguments: [true, false], [true, false])
    func cancel(keeps: Bool, isRunning: Bool) async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until(bytes: 200_000)
            if !isRunning { try await download.pause() }
            let waiting = (0..<3).map { _ in Task { await download.failure() } }
            try await download.cancel(keepPartial: keeps)
            for waiter in waiting { #expect(await waiter.value == .cancelled) }
            #expect(await download.failure() == .cancelled)
            #expect(await download.emitted.last == .cancelled(keptPartial: keeps))
            #expect(try await download.state == .cancelled(keptPartial: keeps))
            #expect(harness.names == (keeps ? ["a.part", "a.part.haul"] : []))
            expectOneEndPerRun(await manager.allEvents())
            harness.server.set("/a", Self.file)
            try await download.retry()
            #expect(try await download.finished().sessionBytes == (keeps ? 200_000 : 400_000))
        }
    }

    @Test("paused and resumed three times: never a failure, never a byte twice (T7, T8, T9)")
    func pauseAgain() async throws {
        // A response to a resumed download begins with the 64 KiB that are compared.
        let slow = Self.file.script { facts in
            facts.number < 4 ? .stall(after: facts.number == 1 ? 100_000 : 165_536) : .normal
        }
        try await ManagerTrial.run(["/a": slow]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            for round in 1...3 {
                try await download.until(bytes: Int64(round) * 100_000)
                try await download.pause()
                #expect(try await download.snapshot.progress.fileBytes == Int64(round) * 100_000)
                try await download.pause()
                try await download.resume()
                try await download.resume()
            }
            #expect(try await download.finished().sessionBytes == 100_000)
            #expect(harness.bytes("a") == Self.file.allBytes)
            let words = await download.emitted.map(\.word)
            let round = ["started", "paused", "resumed"]
            #expect(words == ["added"] + round + round + round + ["started", "finished"])
        }
    }

    @Test("start now: one that waits for its next attempt makes it at once")
    func startNowWhileRetrying() async throws {
        let busy = Self.file.script { $0.number == 1 ? .status(503) : .normal }
        try await ManagerTrial.run(["/a": busy], { $0.firstRetryDelay = .seconds(600) }) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            try await download.until { state in
                switch state {
                case .waiting(.retrying), .waiting(.serverAsked): true
                case .waiting, .running, .paused, .finished, .failed, .cancelled: false
                }
            }
            try await download.startNow()
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            let words = await download.emitted.map(\.word)
            #expect(words == ["added", "waiting", "changed", "paused", "resumed", "started", "finished"])
        }
    }

    @Test("what is not there is said to be not there")
    func unknown() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            _ = try await download.finished()
            try await download.remove()
            let before = manager.lastEventNumber
            for verb in Verb.allCases {
                #expect(await code { () throws(DownloadError) in try await verb.ask(download) } == .noSuchDownload)
            }
            #expect(await code { () throws(DownloadError) in _ = try await download.snapshot } == .noSuchDownload)
            #expect(await download.failure() == .noSuchDownload)
            #expect(try await manager.download(download.id) == nil)
            #expect(manager.lastEventNumber == before)
            #expect(harness.names == ["a"])
        }
    }

    @Test("what does not fit is refused with advice, and changes nothing")
    func refused() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.stalls]) { harness in
            let manager = try harness.manager
            let all = try await harness.add(["/a", "/b", "/c"].map { harness.spec($0) })
            _ = try await all[0].finished()
            try await all[1].until(bytes: 200_000)
            try await all[1].cancel()
            #expect(await all[2].failure() == .notFound)
            let refused: [[Verb]] = [
                [.pause, .resume, .cancel, .startNow, .replaceSource], [.pause, .resume, .startNow, .replaceSource],
                [.pause, .resume, .startNow],
            ]
            let before = (manager.lastEventNumber, try await manager.snapshots())
            for (download, verbs) in zip(all, refused) {
                for verb in verbs {
                    do throws(DownloadError) {
                        try await verb.ask(download)
                        Issue.record("\(verb) of \(download.id) is not refused")
                    } catch {
                        #expect(error.code == .notPossible)
                        #expect(error.message.contains("retry") || error.message.contains("remove"))
                    }
                }
            }
            #expect(manager.lastEventNumber == before.0)
            #expect(try await manager.snapshots() == before.1)
            let far = await code { () throws(DownloadError) in try await all[0].set(priority: 1001) }
            #expect(far == .invalidRequest)
        }
    }

    @Test(
        "from many tasks at once: every one is answered, the state is legal, and it can still be finished",
        arguments: 0..<4)
    func race(seed: Int) async throws {
        let slow = Self.file.script { _ in .normal.throttle(1_500_000) }
        try await ManagerTrial.run(["/a": slow]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a") { $0.onConflict = .replace })
            try await download.until(bytes: 1)
            let codes = await withTaskGroup(of: DownloadError.Code?.self) { tasks in
                let verbs: [Verb] = [.pause, .resume, .cancel, .clear, .retry, .fromStart, .startNow, .replaceSource]
                for index in 0..<40 {
                    let verb = verbs[(index * 7 + seed * 3) % verbs.count]
                    tasks.addTask { await code { () throws(DownloadError) in try await verb.ask(download) } }
                }
                var codes: [DownloadError.Code?] = []
                for await code in tasks { codes.append(code) }
                return codes
            }
            #expect(codes.count == 40)
            #expect(codes.allSatisfy { $0 == nil || $0 == .notPossible })
            _ = try await manager.add(harness.spec("/a"))
            _ = try await download.finished()
            await manager.idle()
            #expect(harness.bytes("a") == Self.file.allBytes)
            #expect(harness.names == ["a"])
            #expect(try await manager.summary().counts == [.finished: 1])
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("close twice, also at once: done when it returns, and refused afterwards")
    func closed() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until(bytes: 200_000)
            let waiter = Task { await download.failure() }
            async let one: Void = manager.close()
            async let two: Void = manager.close()
            _ = await (one, two)
            await manager.close()
            #expect(await waiter.value == .notPossible)
            #expect(await download.failure() == .notPossible)
            for verb in Verb.allCases {
                #expect(await code { () throws(DownloadError) in try await verb.ask(download) } == .notPossible)
            }
            #expect(
                await code { () throws(DownloadError) in _ = try await manager.add(harness.spec("/a")) } == .notPossible
            )
            #expect(await code { () throws(DownloadError) in _ = try await manager.snapshots() } == .notPossible)
            #expect(await code { () throws(DownloadError) in _ = try await manager.summary() } == .notPossible)
            #expect(await code { () throws(DownloadError) in _ = try await manager.currentSettings } == .notPossible)
            #expect(await code { () throws(DownloadError) in _ = try await download.explanation } == .notPossible)
            #expect(await code { () throws(DownloadError) in _ = try await manager.firstEventNumber } == .notPossible)
            #expect(
                await code { () throws(DownloadError) in _ = try await ManagerGroup([manager]).summary() }
                    == .notPossible)
            await manager.idle()
            for try await _ in manager.events() { Issue.record("an event of a closed manager") }
        }
    }

    @Test("two that close at once: whichever returns, the list is free")
    func closedAtOnce() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            let manager = try harness.manager
            try await manager.add(harness.spec("/a")).until(bytes: 200_000)
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<2 { tasks.addTask { await manager.close() } }
                await tasks.next()
                #expect(await OpeningTests.open(harness.path("list.sqlite")) == nil)
            }
        }
    }
}

/// What can be asked of one download.
enum Verb: CaseIterable {
    case pause, resume, cancel, clear, remove, retry, fromStart, replaceSource, startNow, set, move

    func ask(_ download: Download) async throws(DownloadError) {
        switch self {
        case .pause: try await download.pause()
        case .resume: try await download.resume()
        case .cancel: try await download.cancel()
        case .clear: try await download.cancel(keepPartial: false)
        case .remove: try await download.remove()
        case .retry: try await download.retry()
        case .fromStart: try await download.retry(fromStart: true)
        case .replaceSource: try await download.replaceSource(headers: [])
        case .startNow: try await download.startNow()
        case .set: try await download.set(priority: 1)
        case .move: try await download.move(to: 0)
        }
    }
}
