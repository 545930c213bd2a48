import Haul
import HaulCore

extension ManagerConformance {
    static let readingChecks = [
        Check("filters find, count and page in the order of the list", paths(5, file), checkFilters),
        Check("the summary counts the states, and its stream ends with the last one", paths(3, file), checkSummary),
        Check("settings are changed at once", paths(2, stalls), checkSettings),
        Check("idle returns when nothing runs, and nothing will by itself", paths(3, file), checkIdle),
    ]

    private static func checkFilters(_ site: ManagerConformanceSite) async throws {
        let manager = site.manager
        let all = try await site.add((0..<5).map { "/\($0)" }) { index, spec in
            spec.startsPaused = true
            spec.key = "key \(index)"
            spec.tags = index == 0 ? ["a"] : index == 1 ? ["a", "b"] : ["b"]
        }
        let ids = all.map(\.id)
        func found(_ change: (inout DownloadFilter) -> Void) async throws -> [DownloadID] {
            var filter = DownloadFilter.all
            change(&filter)
            try expect(try await manager.count(filter), is: try await manager.snapshots(filter).count, "count")
            return try await manager.snapshots(filter).map(\.id)
        }
        try expect(try await found { $0.keys = ["key 1", "key 3", "nobody's"] }, is: [ids[1], ids[3]], "by keys")
        try expect(try await found { $0.tags = ["a", "b"] }, is: ids, "with one of the tags")
        try expect(try await found { $0.requiredTags = ["a", "b"] }, is: [ids[1]], "with both tags")
        try expect(try await found { $0.ids = [ids[4], ids[2]] }, is: [ids[2], ids[4]], "by identity")
        try expect(try await found { $0.states = [.running] }, is: [], "in a state that none is in")
        try expect(try await found { $0.text = "/3" }, is: [ids[3]], "by text")
        let url = try await manager.snapshot(ids[3]).spec.url
        try expect(try await found { $0.urls = [url + "#part", "http://other/"] }, is: [ids[3]], "by URL")
        try expect(try await manager.download(url: url)?.id, is: ids[3], "by one URL")
        let first = try await manager.snapshots(limit: 2)
        let second = try await manager.snapshots(after: first.last?.id, limit: 2)
        let last = try await manager.snapshots(after: second.last?.id, limit: 2)
        try expect((first + second + last).map(\.id), is: ids, "pages")
        try await manager.remove(ids[1])
        let rest = try await manager.snapshots(after: ids[1], limit: 2).map(\.id)
        try expect(rest, is: [ids[2], ids[3]], "a page after a download that was removed")
        try expect(try await manager.snapshots(limit: 2, isReversed: true).map(\.id), is: [ids[4], ids[3]], "reversed")
    }

    private static func checkSummary(_ site: ManagerConformanceSite) async throws {
        let all = try await site.add((0..<3).map { "/\($0)" }) { index, spec in spec.startsPaused = index == 2 }
        for download in all[..<2] { _ = try await download.finished() }
        for await summary in site.manager.summaries where summary[.finished] == 2 {
            try expect(summary[.paused], is: 1, "paused")
            break
        }
        let summary = try await site.manager.summary()
        try expect(summary.counts, is: [.finished: 2, .paused: 1], "counts")
        try expect(summary.connections, is: 0, "connections")
    }

    private static func checkSettings(_ site: ManagerConformanceSite) async throws {
        let manager = site.manager
        var settings = try await manager.currentSettings
        (settings.limit, settings.order, settings.rateLimit) = (1, .lifo, 9_000_000)
        try await manager.update(settings)
        let emitted = try await manager.currentSettings
        try expect(emitted.limit, is: 1, "limit")
        try expect(emitted.order, is: .lifo, "order")
        try expect(emitted.rateLimit, is: 9_000_000, "rate")
        let all = try await site.add(["/0", "/1"])
        // Either download may start first, but the other one must wait.
        for try await event in manager.events(since: 0) {
            if case .started = event.kind { break }
        }
        try expect(try await manager.count(.state(.waiting)), is: 1, "waiting for the turn")
        settings.limit = 2
        settings.rateLimit = nil
        try await manager.update(settings)
        for download in all { try await site.until(download, bytes: 100_000) }
        try expect(try await manager.currentSettings.rateLimit, is: nil, "rate that was taken away")
    }

    private static func checkIdle(_ site: ManagerConformanceSite) async throws {
        await site.manager.idle()
        _ = try await site.add((0..<3).map { "/\($0)" }) { index, spec in spec.startsPaused = index == 0 }
        await site.manager.idle()
        try expect(try await site.manager.count(.state(.finished)), is: 2, "finished")
    }
}
