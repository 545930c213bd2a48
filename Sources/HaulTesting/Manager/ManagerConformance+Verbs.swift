import Haul
import HaulCore

extension ManagerConformance {
    static let verbChecks = [
        Check("a pause keeps what is there, and a resume goes on from it", ["/a": stalls], checkPause),
        Check("a cancelled one keeps its bytes for a retry, or loses them", ["/a": stalls], checkCancel),
        Check("a removed one is gone, and who waits for it hears so", ["/a": stalls], checkRemove),
        Check("what does not fit the state is refused", ["/a": file], checkRefusals),
        Check("all, a group, or a state are asked at once", paths(6, stalls), checkGroups),
        Check("the order of the list can be changed", paths(4, file), checkMove),
        Check("priority and limits are changed at once", ["/a": stalls], checkSet),
        Check("another source goes on with what is there", ["/a": stalls, "/b": file], checkSource),
        Check("one that waits its turn can start now", paths(3, stalls), checkStartNow),
    ]

    static func paths(_ count: Int, _ resource: Resource) -> [String: Resource] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0)", resource) })
    }

    private static func checkPause(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try await site.until(download, bytes: 100_000)
        try await download.pause()
        try expect(try await download.state, is: .paused(.asked), "state")
        try expect(try await download.snapshot.progress.fileBytes, is: 100_000, "bytes that are kept")
        // A verb without effect is not an error.
        try await download.pause()
        site.server.set("/a", file)
        try await download.resume()
        try expect(try await download.finished().sessionBytes, is: 200_000, "bytes fetched after it")
    }

    private static func checkCancel(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try await site.until(download, bytes: 100_000)
        let waiting = Task { await code { _ = try await download.finished() } }
        try await download.cancel()
        try expect(await waiting.value, is: .cancelled, "what who waits hears")
        try expect(try await download.state, is: .cancelled(keptPartial: true), "state")
        try await download.cancel(keepPartial: false)
        try expect(try await download.state, is: .cancelled(keptPartial: false), "state without the bytes")
        site.server.set("/a", file)
        try await download.retry()
        try expect(try await download.finished().sessionBytes, is: 300_000, "bytes fetched anew")
    }

    private static func checkRemove(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try await site.until(download, bytes: 100_000)
        let waiting = Task { await code { _ = try await download.finished() } }
        try await download.remove()
        // The run that the removal ends may be cancelled first.
        let received = await waiting.value
        try expect(
            received == .noSuchDownload || received == .cancelled, "who waits hears \(String(describing: received))")
        try expect(try await site.manager.download(download.id), is: nil, "the download")
        for verb in [Download.pauseVerb, Download.resumeVerb, Download.retryVerb] {
            try expect(
                await code { () throws(DownloadError) in try await verb(download) }, is: .noSuchDownload, "a verb")
        }
        try expect(
            await code { () throws(DownloadError) in _ = try await download.snapshot }, is: .noSuchDownload, "snapshot")
        try expect(try await site.manager.summary().counts, is: [:], "counts")
    }

    private static func checkRefusals(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        _ = try await download.finished()
        for verb in [Download.pauseVerb, Download.resumeVerb] {
            try expect(await code { () throws(DownloadError) in try await verb(download) }, is: .notPossible, "a verb")
        }
        try expect(
            await code { () throws(DownloadError) in try await download.set(priority: 1001) }, is: .invalidRequest,
            "a priority")
    }

    private static func checkGroups(_ site: ManagerConformanceSite) async throws {
        let all = try await site.add((0..<6).map { "/\($0)" }) { index, spec in
            spec.group = index < 3 ? "first" : "second"
            spec.tags = index.isMultiple(of: 2) ? ["even"] : []
            spec.startsPaused = index >= 3
        }
        for download in all[..<3] { try await site.until(download, bytes: 100_000) }
        let manager = site.manager
        try expect(try await manager.pause(.group("first")), is: 3, "paused of the group")
        try expect(try await manager.pause(.all), is: 0, "paused again")
        try expect(try await manager.cancel(.tag("even"), keepPartial: false), is: 3, "cancelled")
        try expect(try await manager.count(.state(.cancelled)), is: 3, "of them")
        for index in 0..<6 { site.server.set("/\(index)", file) }
        try expect(try await manager.retry(.state(.cancelled)), is: 3, "tried again")
        try expect(try await manager.resume(.all), is: 3, "resumed")
        await manager.idle()
        try expect(try await manager.count(.state(.finished)), is: 6, "finished")
        try expect(try await manager.remove(.group("second")), is: 3, "removed")
        try expect(try await manager.count(), is: 3, "left")
    }

    private static func checkMove(_ site: ManagerConformanceSite) async throws {
        let all = try await site.add((0..<4).map { "/\($0)" }) { _, spec in spec.startsPaused = true }
        try await all[3].move(to: 0)
        try await all[0].move(to: 99)
        let order = try await site.manager.snapshots().map(\.id)
        try expect(order, is: [all[3], all[1], all[2], all[0]].map(\.id), "order")
        try expect(try await site.manager.download(at: 1), is: all[1], "the second one")
        try expect(try await site.manager.download(at: 4), is: nil, "the fifth of four")
    }

    private static func checkSet(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try await download.set(priority: 7, rateLimit: 5_000_000)
        var spec = try await download.snapshot.spec
        try expect(spec.priority, is: 7, "priority")
        try expect(spec.rateLimit, is: 5_000_000, "limit")
        try await download.set(rateLimit: 0)
        spec = try await download.snapshot.spec
        try expect(spec.priority, is: 7, "priority that was left alone")
        try expect(spec.rateLimit, is: nil, "no limit")
    }

    private static func checkSource(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try await site.until(download, bytes: 100_000)
        try await download.pause()
        try await download.replaceSource(url: site.server.url("/b"))
        try await download.resume()
        let facts = try await download.finished()
        try expect(facts.path, is: site.folder + "/a", "path")
        try expect(try await download.snapshot.spec.url, is: site.server.url("/b"), "source")
        // The resume data of a system session belong to one URL; what else is there is proved segment by segment.
        guard site.manager.capabilities.contains(.segments) else { return }
        try expect(facts.sessionBytes < 300_000, "everything was fetched again: \(facts.sessionBytes) bytes")
    }

    private static func checkStartNow(_ site: ManagerConformanceSite) async throws {
        var settings = try await site.manager.currentSettings
        settings.limit = 1
        try await site.manager.update(settings)
        let all = try await site.add((0..<3).map { "/\($0)" })
        try await site.until(all[0], bytes: 100_000)
        try expect(try await all[2].state, is: .waiting(.turn(limit: 1)), "state")
        try await all[2].startNow()
        try await site.until(all[2], bytes: 100_000)
        try expect(try await all[1].state, is: .waiting(.turn(limit: 1)), "state of the one before")
    }
}

extension Download {
    /// The verbs as functions.
    fileprivate static let pauseVerb: @Sendable (Download) async throws(DownloadError) -> Void = {
        (download) throws(DownloadError) in try await download.pause()
    }
    fileprivate static let resumeVerb: @Sendable (Download) async throws(DownloadError) -> Void = {
        (download) throws(DownloadError) in try await download.resume()
    }
    fileprivate static let retryVerb: @Sendable (Download) async throws(DownloadError) -> Void = {
        (download) throws(DownloadError) in try await download.retry()
    }
}
