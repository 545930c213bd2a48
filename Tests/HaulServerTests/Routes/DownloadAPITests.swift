import Foundation
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import Testing

@Suite("The API's downloads", .usesSockets)
struct DownloadAPITests {
    private static let file = Resource.file(seed: 71, size: 300_000)
    private static let stalls = file.script { _ in .stall(after: 100_000) }

    @Test("A download is added, finishes, is shown and removed; its key finds it again")
    func life() async throws {
        try await ServedTrial.run(["/a": Self.file], privateAddresses: true) { trial in
            var request = trial.request("/a", "b")
            (request.key, request.group, request.tags) = ("k", "g", ["t"])
            let added = try await trial.client.add(request)
            #expect(added.key == "k" && added.name == "b" && added.request.group == "g")
            #expect(added.isNew == true)
            try await trial.until(added.id, .finished)
            let shown = try await trial.client.show(added.id)
            #expect(shown.finish?.totalBytes == 300_000)
            #expect(shown.path?.hasSuffix("/root/b") == true)
            let again = try await trial.client.add(request)
            #expect(again.id == added.id && again.isNew == false)
            #expect(shown.isNew == nil)
            let many = try await trial.client.add([
                request, trial.request("/a", "c"), trial.request("/missing", "/etc"),
            ])
            #expect(many.map(\.isNew) == [false, true, nil])
            let remote = try await DownloadRoutesStatus.of(request, trial)
            #expect(remote == 200)
            try await trial.client.remove(added.id, files: .all)
            #expect(!FileManager.default.fileExists(atPath: trial.root + "/b"))
            await #expect(throws: DownloadError.self) { try await trial.client.show(added.id) }
        }
    }

    @Test("A partial file outside the roots is not left behind, even if the list does not know its size")
    func unknownSize() async throws {
        let file = Resource.file(seed: 77, size: 50_000_000).script { _ in .stall(after: 0) }
        try await ServedTrial.run(["/a": file]) { trial in
            let client = trial.client
            let id = try await client.add(trial.request("/a")).id
            while try await client.show(id).path == nil { await Task.yield() }
            let paused = try await client.pause(id)
            #expect(paused.path != nil && paused.progress.fileBytes == 0)
            let other = trial.folder.path + "/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
            let roots = try FolderRoots([other])
            trial.state.change { $0.roots = roots }
            for files in [RemovedFiles.partial, .all] {
                let error = await #expect(throws: DownloadError.self) { try await client.remove(id, files: files) }
                #expect(error?.code == .invalidRequest)
            }
            try await client.remove(id, files: .none)
        }
    }

    @Test("Verbs do what the library's do, and refuse as the library does")
    func verbs() async throws {
        try await ServedTrial.run(["/a": Self.stalls]) { trial in
            let client = trial.client
            let id = try await client.add(trial.request("/a")).id
            try await trial.until(id, .running)
            #expect(try await client.pause(id).state == .paused)
            #expect(try await client.pause(id).state == .paused)
            #expect(try await client.change(id, ChangeRequest(priority: 5, rateLimit: 1000)).request.priority == 5)
            #expect(try await client.show(id).request.rateLimit == 1000)
            #expect(try await client.change(id, ChangeRequest(rateLimit: 0)).request.rateLimit == nil)
            #expect(try await client.resume(id).pause == nil)
            #expect(try await client.cancel(id, keepPartial: false).keptPartial == false)
            do throws(DownloadError) {
                _ = try await client.pause(id)
                Issue.record("a cancelled one was paused")
            } catch {
                #expect(error == DownloadError(.notPossible, error.message) && error.message.contains("retry it"))
            }
            #expect(try await client.retry(id, fromStart: true).error == nil)
            #expect(try await client.start(id).request.startsAtOnce == true)
            var source = SourceRequest()
            source.url = trial.server.url("/a")
            _ = try await client.pause(id)
            #expect(try await client.replaceSource(id, source).id == id)
            await #expect(throws: DownloadError.self) { try await client.pause(DownloadID(rawValue: 999)) }
        }
    }

    @Test("Many are added at once, each with its own result")
    func batch() async throws {
        try await ServedTrial.run(["/a": Self.file, "/b": Self.file]) { trial in
            var bad = trial.request("/a", "bad")
            bad.folder = "/etc"
            let results = try await trial.client.add([
                trial.request("/a"), bad, DownloadRequest(url: "ftp://h/a"), trial.request("/b"),
            ])
            #expect(results.map { $0.id == nil } == [false, true, true, false])
            #expect(results.map(\.error?.code) == [nil, .invalidRequest, .invalidRequest, nil])
            #expect(try await trial.manager.count() == 2)
            let last = try #require(results[3].id)
            #expect(try await trial.client.show(last).name == "b")
        }
    }

    @Test("Missing folders are created inside the root, and no link is followed for them")
    func folders() async throws {
        try await ServedTrial.run(["/a": Self.file]) { trial in
            try FileManager.default.createSymbolicLink(
                atPath: trial.root + "/link", withDestinationPath: trial.folder.path + "/elsewhere")
            var (good, dangling, outside) = (trial.request("/a"), trial.request("/a"), trial.request("/a"))
            (good.folder, dangling.folder, outside.folder) = ("new/er", "link/x", trial.folder.path + "/other")
            let results = try await trial.client.add([good, dangling, outside])
            #expect(results.map(\.error?.code) == [nil, .fileFailed, .invalidRequest])
            await trial.manager.idle()
            #expect(FileManager.default.contents(atPath: trial.root + "/new/er/a") == Data(Self.file.allBytes))
            for name in ["elsewhere", "other"] {
                #expect(!FileManager.default.fileExists(atPath: "\(trial.folder.path)/\(name)"))
            }
        }
    }

    @Test("The list comes in pages, both ways, filtered and counted")
    func pages() async throws {
        try await ServedTrial.run(["/a": Self.file], { $0.settings.limit = 0 }) { trial in
            var requests: [DownloadRequest] = []
            for index in 0..<25 {
                // No digit of the hexadecimal number in the folder's name, which is looked through, too.
                var request = trial.request("/a", "x\(index)")
                request.group = index.isMultiple(of: 2) ? "even" : "odd number"
                requests.append(request)
            }
            let ids = try await trial.client.add(requests).compactMap(\.id)
            for order in ListOrder.allCases {
                var (found, after): ([DownloadID], DownloadID?) = ([], nil)
                repeat {
                    let page = try await trial.client.list(after: after, limit: 10, order: order)
                    #expect(page.downloads.count <= 10)
                    found += page.downloads.map(\.id)
                    after = page.next
                } while after != nil
                #expect(found == (order == .list ? ids : ids.reversed()))
            }
            var filter = FilterMessage()
            filter.groups = ["odd number"]
            let odd = try await trial.client.list(filter, limit: 5, wantsTotal: true)
            #expect(odd.total == 12 && odd.downloads.map(\.id) == [1, 3, 5, 7, 9].map { ids[$0] })
            filter = FilterMessage()
            (filter.search, filter.states) = ("X2", [.waiting])
            #expect(try await trial.client.list(filter).downloads.count == 6)
            filter.ids = [ids[2], ids[3]]
            #expect(try await trial.client.list(filter).downloads.map(\.id) == [ids[2]])
            #expect(try await trial.client.list(limit: 25).next == nil)
            #expect(try await trial.client.move(ids[24], to: 0).id == ids[24])
            #expect(try await trial.client.list(limit: 1).downloads.map(\.id) == [ids[24]])
        }
    }

    @Test("Failures are found and tried again by their code and host, in the list and in actions")
    func failures() async throws {
        let busy = Resource.file(seed: 9, size: 10).script { _ in .status(503) }
        try await ServedTrial.run(["/busy": busy]) { trial in
            var ids: [DownloadID] = []
            for (index, path) in ["/missing", "/busy", "/missing"].enumerated() {
                var request = trial.request(path, "f\(index)")
                request.retries = 0
                if index == 2 { request.url = request.url.replacing("127.0.0.1", with: "localhost") }
                ids.append(try await trial.client.add(request).id)
                try await trial.until(ids[index], .failed)
            }
            func found(_ codes: [DownloadError.Code]?, _ hosts: [String]?) async throws -> [DownloadID] {
                var filter = FilterMessage()
                (filter.codes, filter.hosts) = (codes, hosts)
                return try await trial.client.list(filter).downloads.map(\.id)
            }
            #expect(try await found([.notFound], nil) == [ids[0], ids[2]])
            #expect(try await found([.notFound, .serverBusy], nil) == ids)
            #expect(try await found(nil, ["LOCALHOST"]) == [ids[2]])
            #expect(try await found([.notFound], ["127.0.0.1"]) == [ids[0]])
            #expect(try await found([.tlsFailed], nil).isEmpty)
            let error = await #expect(throws: DownloadError.self) { _ = try await found(nil, ["a b"]) }
            #expect(error?.code == .invalidRequest)
            var filter = FilterMessage()
            (filter.codes, filter.hosts) = ([.notFound], ["localhost"])
            #expect(try await trial.client.act(ActionRequest(.retry, filter: filter)) == 1)
            let wrong = try await trial.raw(
                "GET /api/v1/downloads?code=404 HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \(trial.token.text)\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(RawClient.status(wrong) == 400 && wrong.contains("code must be one of invalidRequest"))
        }
    }

    @Test("Actions reach those that are meant, and say how many")
    func actions() async throws {
        try await ServedTrial.run(["/a": Self.file], { $0.settings.limit = 0 }) { trial in
            let client = trial.client
            for index in 0..<6 {
                var request = trial.request("/a", "f\(index)")
                request.group = index < 2 ? "g" : nil
                _ = try await client.add(request)
            }
            var filter = FilterMessage()
            filter.groups = ["g"]
            #expect(try await client.act(ActionRequest(.pause, filter: filter)) == 2)
            #expect(try await client.act(ActionRequest(.pause, all: true)) == 4)
            #expect(try await client.act(ActionRequest(.resume, filter: filter)) == 2)
            var set = ActionRequest(.set, filter: filter)
            (set.priority, set.rateLimit) = (7, 500)
            #expect(try await client.act(set) == 2)
            #expect(try await client.list(filter).downloads.allSatisfy { $0.request.priority == 7 })
            #expect(try await client.act(ActionRequest(.cancel, all: true)) == 6)
            #expect(try await client.act(ActionRequest(.retry, filter: filter)) == 2)
            #expect(try await client.act(ActionRequest(.remove, all: true)) == 6)
            #expect(try await client.summary().counts.values.allSatisfy { $0 == 0 })
        }
    }

    @Test("An action without a condition, or with another one's options, is refused")
    func badActions() async throws {
        try await ServedTrial.run { trial in
            var wrong = ActionRequest(.pause, all: true)
            wrong.files = .all
            var both = ActionRequest(.remove, filter: FilterMessage(), all: true)
            both.filter?.groups = ["g"]
            for action in [
                ActionRequest(.remove), ActionRequest(.remove, filter: FilterMessage()), wrong, both,
                ActionRequest(.pause, all: false),
            ] {
                await #expect(throws: DownloadError.self) { try await trial.client.act(action) }
            }
        }
    }

    @Test("Segments tile the file of one that runs")
    func segments() async throws {
        try await ServedTrial.run(["/a": Self.stalls]) { trial in
            let id = try await trial.client.add(trial.request("/a")).id
            try await trial.until(id, .running)
            var message = try await trial.client.segments(id)
            while message.segments.first.map({ $0.position < 100_000 }) ?? true {
                message = try await trial.client.segments(id)
            }
            #expect(message.totalBytes == 300_000)
            #expect(message.segments.first?.start == 0 && message.segments.last?.end == 300_000)
            for (one, next) in zip(message.segments, message.segments.dropFirst()) { #expect(one.end == next.start) }
            #expect(message.segments.contains { $0.active })
            _ = try await trial.client.explanation(id)
            _ = try await trial.client.pause(id)
            #expect(try await trial.client.segments(id).segments.isEmpty)
        }
    }
}

/// The status with which a download is added over TCP.
private enum DownloadRoutesStatus {
    static func of(_ request: DownloadRequest, _ trial: ServedTrial) async throws -> Int? {
        let body = String(decoding: try WireJSON.encode(["url": request.url, "key": request.key ?? ""]), as: UTF8.self)
        let response = try await trial.raw(
            "POST /api/v1/downloads HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(trial.token.text)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return RawClient.status(response)
    }
}
