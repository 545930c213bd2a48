import Haul
import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ManagerConformance {
    static let addingChecks = [
        Check("a download finishes with the right file, and says so", ["/a": file], checkFinish),
        Check("a key is one download, however often it is added", ["/a": file, "/b": file], checkKeys),
        Check("many are added at once, each with its own result", ["/a": file], checkMany),
        Check("one that is added paused waits for its resume", ["/a": file], checkStartsPaused),
        Check("a failure is the server's, and a retry goes on", [:], checkFailure),
        Check("a model hears from the first event to the last", ["/a": file], checkModel),
        Check("what can't be right is refused before anything is asked", ["/a": file], checkInvalid),
    ]

    private static func checkFinish(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        let facts = try await download.finished()
        try expect(facts.path, is: site.folder + "/a", "path")
        try expect(facts.totalBytes, is: 300_000, "size")
        let bytes = try Array(Data(contentsOf: URL(filePath: facts.path)))
        try expect(bytes == file.allBytes, "the file has other bytes")
        let snapshot = try await download.snapshot
        try expect(snapshot.state, is: .finished(facts), "state")
        try expect(snapshot.path, is: facts.path, "path of the snapshot")
        try expect(snapshot.progress.fileBytes, is: 300_000, "bytes of the snapshot")
        try expect(snapshot.spec.url, is: site.server.url("/a"), "URL of the snapshot")
        // A caller that waits for an ended download gets its result all the same.
        try expect(try await download.finished(), is: facts, "facts for the second one who waits")
    }

    private static func checkKeys(_ site: ManagerConformanceSite) async throws {
        let manager = site.manager
        let own = try await manager.add(site.spec("/a") { ($0.key, $0.tags) = ("my own", ["t"]) })
        let plain = try await manager.add(site.spec("/b"))
        try expect(try await manager.add(site.spec("/a") { $0.key = "my own" }), is: own, "the one that is there")
        try expect(try await manager.add(site.spec("/b")), is: plain, "the one of the same source and place")
        try expect(try await manager.count(), is: 2, "downloads")
        try expect(try await manager.download(key: "my own"), is: own, "by key")
        try expect(try await manager.download(own.id), is: own, "by identity")
        try expect(try await manager.download(key: "nobody's"), is: nil, "by a key that nobody has")
        try expect(try await manager.download(DownloadID(rawValue: 999_999)), is: nil, "by an identity that nobody has")
        let snapshot = try await own.snapshot
        try expect(snapshot.key, is: "my own", "key of the snapshot")
        try expect(snapshot.spec.key, is: "my own", "key of its spec")
        try expect(snapshot.spec.tags, is: ["t"], "tags of its spec")
        let key = try await plain.snapshot.key
        try expect(try await manager.download(key: key), is: plain, "by the key that it has by itself")
    }

    private static func checkMany(_ site: ManagerConformanceSite) async throws {
        let good = site.spec("/a")
        let bad = DownloadSpec(url: "http://", destination: .file(path: site.folder + "/b"))
        let results = try await site.manager.add(contentsOf: [good, bad, site.spec("/a") { $0.key = "again" }])
        try expect(results.count, is: 3, "results")
        try expect(try results[0].get() != results[2].get(), "two keys are one download")
        try expect(
            await code { () throws(DownloadError) in _ = try results[1].get() }, is: .invalidRequest, "the bad one")
        try expect(try await site.manager.count(), is: 2, "downloads")
        try expect(try await site.manager.add(contentsOf: [DownloadSpec]()).count, is: 0, "results of nothing")
    }

    private static func checkStartsPaused(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a") { $0.startsPaused = true })
        try expect(try await download.state, is: .paused(.asked), "state")
        await site.manager.idle()
        try expect(site.server.requests("/a").count, is: 0, "requests")
        try await download.resume()
        _ = try await download.finished()
    }

    private static func checkFailure(_ site: ManagerConformanceSite) async throws {
        let download = try await site.manager.add(site.spec("/a"))
        try expect(await code { _ = try await download.finished() }, is: .notFound, "code")
        guard case .failed(let error) = try await download.state else {
            throw ManagerConformanceFailure(description: "it has not failed")
        }
        try expect(error.code, is: .notFound, "code of the state")
        try expect(!error.message.isEmpty, "the error has no message")
        site.server.set("/a", file)
        try await download.retry()
        try expect(try await download.finished().totalBytes, is: 300_000, "size")
    }

    private static func checkModel(_ site: ManagerConformanceSite) async throws {
        let model = ConformanceModel(downloadSpec: site.spec("/a"))
        let download = try await model.download(with: site.manager)
        _ = try await download.finished()
        try expect(await model.isDownloaded(in: site.manager), "the model is not downloaded")
        let kinds = model.kinds
        try expect(kinds.first, is: "added", "first event")
        try expect(kinds.last, is: "finished", "last event")
        try expect(kinds.count { $0 == "finished" }, is: 1, "ends")
    }

    private static func checkInvalid(_ site: ManagerConformanceSite) async throws {
        let spec = site.spec("/a") { $0.priority = 5000 }
        try expect(
            await code { () throws(DownloadError) in _ = try await site.manager.add(spec) }, is: .invalidRequest,
            "priority")
        try expect(try await site.manager.count(), is: 0, "downloads")
    }
}
