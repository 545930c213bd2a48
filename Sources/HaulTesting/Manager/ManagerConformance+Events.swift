import Haul
import HaulCore

extension ManagerConformance {
    static let eventChecks = [
        Check("state events come once, in order, and are replayed alike", paths(4, file), checkReplay),
        Check("a download tells of itself alone, its state first", ["/a": stalls, "/b": file], checkOwnEvents),
        Check(
            "progress never goes back, and ends with the run", ["/a": file.script { _ in .stall(after: 200_000) }],
            checkProgress),
        Check("what was not seen is told, what was seen is not", paths(2, file), checkUnseen),
        Check(
            "a subscription ends when the manager is closed, and nothing is possible any more", ["/a": stalls],
            checkClose),
    ]

    private static func checkReplay(_ site: ManagerConformanceSite) async throws {
        let manager = site.manager
        let start = manager.lastEventNumber
        var ends = 0
        let live = Task {
            var ends = 0
            return try await site.events(since: start) { event in
                if case .finished = event.kind { ends += 1 }
                return ends == 4
            }
        }
        let all = try await site.add((0..<4).map { "/\($0)" })
        for download in all { _ = try await download.finished() }
        let received = try await live.value
        let again = try await site.events(since: start) { event in
            if case .finished = event.kind { ends += 1 }
            return ends == 4
        }
        try expect(again, is: received, "the replay")
        try expect(received.map(\.number), is: received.map(\.number).sorted(), "the order")
        try expect(Set(received.map(\.number)).count, is: received.count, "events with numbers of their own")
        for download in all {
            let kinds = received.filter { $0.download == download.id }.map(\.kind.conformanceName)
            try expect(kinds, is: ["added", "started", "finished"], "events of download \(download.id)")
        }
    }

    private static func checkOwnEvents(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        let other = try await site.manager.add(site.spec("/b"))
        try await site.until(download, bytes: 100_000)
        var iterator = download.events.makeAsyncIterator()
        guard case .snapshot(let snapshot)? = try await iterator.next()?.kind else {
            throw ManagerConformanceFailure(description: "the first event is no snapshot")
        }
        try expect(snapshot.id, is: download.id, "whose snapshot")
        _ = try await other.finished()
        try await download.pause()
        while let event = try await iterator.next() {
            try expect(event.download, is: download.id, "whose event")
            if case .paused = event.kind { return }
        }
        throw ManagerConformanceFailure(description: "the pause was not told")
    }

    private static func checkProgress(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try await site.until(download, bytes: 200_000)
        let emitted = Task {
            var emitted: [Int64] = []
            var number: Int64 = 0
            for try await event in download.events {
                guard event.number >= number else { throw ManagerConformanceFailure(description: "a number went back") }
                number = event.number
                switch event.kind {
                case .progress(let progress): emitted.append(progress.fileBytes)
                case .snapshot(let snapshot):
                    emitted.append(snapshot.progress.fileBytes)
                    if snapshot.state == .paused(.asked) { return emitted }
                case .finished, .failed, .paused, .cancelled, .removed: return emitted
                case .added, .started, .waiting, .notice, .resumed, .sourceReplaced, .changed: break
                }
            }
            return emitted
        }
        try await download.pause()
        let bytes = try await emitted.value
        try expect(bytes, is: bytes.sorted(), "bytes told")
        try expect(bytes.last ?? 0, is: 200_000, "bytes told last")
    }

    private static func checkUnseen(_ site: ManagerConformanceSite) async throws {
        let all = try await site.add(["/0", "/1"])
        for download in all { _ = try await download.finished() }
        await site.manager.idle()
        var finished: [DownloadID] = []
        for try await event in site.manager.unseenEvents {
            if case .finished = event.kind { finished.append(event.download) }
            // The last event may not have been handled completely, so it is delivered again.
            if finished.count == 2 { break }
        }
        try expect(Set(finished), is: Set(all.map(\.id)), "finished ones that were told")
        var again: [DownloadID] = []
        for try await event in site.manager.missedEvents { again.append(event.download) }
        try expect(again, is: [finished[1]], "whose events are told again")
        for try await event in site.manager.missedEvents {
            throw ManagerConformanceFailure(description: "event \(event.number) was told a third time")
        }
    }

    private static func checkClose(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try await site.until(download, bytes: 100_000)
        let waiting = Task { await code { _ = try await download.finished() } }
        let subscription = Task { for await _ in site.manager.events().uncancelled {} }
        await site.manager.close()
        await subscription.value
        try expect(await waiting.value, is: .notPossible, "what who waits hears")
        try expect(
            await code { () throws(DownloadError) in _ = try await site.manager.count() }, is: .notPossible,
            "a question")
    }
}
