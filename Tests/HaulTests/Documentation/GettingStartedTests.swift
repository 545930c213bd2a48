import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: getting started", .usesSockets)
struct GettingStartedTests {
    static let file = Resource.file(seed: 31, size: 300_000)
    static let large = Resource.file(seed: 32, size: 3_000_000)

    @Test("one download")
    func first() async throws {
        try await FaultServer.run(["/debian.iso": Self.file]) { server in
            let temporary = try TemporaryFolder()
            let (url, folder, list) = (server.url("/debian.iso"), temporary.path, temporary.path("list.sqlite"))
            let printed = Printed()
            let print = printed.add
            // snippet: first
            let manager = try await DownloadManager(ManagerConfiguration(storage: .file(path: list)))
            let download = try await manager.add(DownloadSpec(url: url, destination: .folder(path: folder)))
            let facts = try await download.finished()
            print("\(facts.path) has \(facts.totalBytes) bytes")
            await manager.close()
            // end snippet
            #expect(printed.lines == ["\(temporary.path("debian.iso")) has 300000 bytes"])
            #expect(temporary.bytes("debian.iso") == Self.file.allBytes)
        }
    }

    @Test("what can be asked of a download")
    func options() async throws {
        try await ManagerTrial.run(["/debian.iso": Self.file]) { harness in
            let manager = try harness.manager
            let (url, folder) = (harness.server.url("/debian.iso"), harness.folder.path)
            let digest = try Digests.sha256(Self.file.allBytes).description
            try harness.folder.put([1], "debian.iso")
            // snippet: options
            var spec = DownloadSpec(url: url, destination: .file(path: "\(folder)/debian.iso"))
            spec.onConflict = .rename
            spec.connections = .fixed(4)
            spec.checksum = try Checksum(parsing: digest)
            spec.headers = [DownloadSpec.Header(name: "Accept-Language", value: "de")]
            spec.group = "images"
            spec.tags = ["nightly"]
            let download = try await manager.add(spec)
            // end snippet
            let facts = try await download.finished()
            #expect(facts.path == harness.path("debian (1).iso"))
            #expect(facts.verified == spec.checksum)
            #expect(try await manager.snapshots(.group("images")).map(\.id) == [download.id])
        }
    }

    @Test("progress")
    func progress() async throws {
        try await ManagerTrial.run(["/f": Self.large], throttle: 6_000_000) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            let printed = Printed()
            let print = printed.add
            // snippet: progress
            let watching = Task {
                for try await event in download.events {
                    guard case .progress(let progress) = event.kind, let fraction = progress.fraction else { continue }
                    print("\(Int(fraction * 100)) % at \(Int(progress.speed)) bytes per second")
                }
            }
            defer { watching.cancel() }
            let facts = try await download.finished()
            // end snippet
            watching.cancel()
            _ = await watching.result
            #expect(facts.totalBytes == 3_000_000)
            #expect(!printed.lines.isEmpty)
        }
    }

    @Test("many, with a result for each")
    func many() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file]) { harness in
            let manager = try harness.manager
            let urls = [harness.server.url("/a"), "gopher://nowhere/x", harness.server.url("/b")]
            let folder = harness.folder.path
            let printed = Printed()
            let print = printed.add
            // snippet: many
            let specs = urls.map { DownloadSpec(url: $0, destination: .folder(path: folder)) }
            for (url, result) in zip(urls, try await manager.add(contentsOf: specs)) {
                switch result {
                case .success(let download): print("\(url) is download \(download.id)")
                case .failure(let error): print("\(url) was not added: \(error)")
                }
            }
            await manager.idle()
            // end snippet
            #expect(harness.names == ["a", "b"])
            #expect(printed.lines.count == 3)
            #expect(printed.lines[1].hasPrefix("gopher://nowhere/x was not added: "))
        }
    }

    @Test("what can be done with one")
    func verbs() async throws {
        try await ManagerTrial.run(["/f": Self.large], throttle: 100_000) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            // snippet: verbs
            try await download.pause()
            try await download.resume()
            try await download.set(priority: 10, rateLimit: 20_000_000)
            try await download.move(to: 0)
            try await download.startNow()
            try await download.cancel(keepPartial: true)
            try await download.retry()
            // end snippet
            harness.server.throttle(nil)
            _ = try await download.finished()
            #expect(harness.bytes("f") == Self.large.allBytes)
            // snippet: remove
            try await download.remove(files: .all)
            // end snippet
            #expect(harness.names.isEmpty)
        }
    }

    @Test("what can be done with many")
    func filters() async throws {
        try await ManagerTrial.run(["/a": Self.large, "/b": Self.large], throttle: 100_000) { harness in
            let manager = try harness.manager
            var (image, nightly) = (harness.spec("/a"), harness.spec("/b"))
            image.group = "images"
            nightly.tags = ["nightly"]
            try await manager.add(contentsOf: [image, nightly])
            // snippet: filters
            try await manager.pause(.group("images"))
            try await manager.resume(.group("images"))
            try await manager.cancel(.tag("nightly"), keepPartial: false)
            try await manager.remove(.state(.finished, .cancelled), files: .none)
            // end snippet
            harness.server.throttle(nil)
            await manager.idle()
            #expect(harness.names == ["a"])
            #expect(try await manager.count() == 1)
        }
    }

    @Test("settings that change while it works")
    func settings() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            // snippet: settings
            var settings = try await manager.currentSettings
            settings.limit = 5
            settings.hostLimit = 2
            settings.order = .lifo
            settings.rateLimit = 10_000_000
            try await manager.update(settings)
            // end snippet
            #expect(try await manager.currentSettings == settings)
        }
    }

    @Test("a folder that does not exist is not created")
    func missingFolder() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let spec = DownloadSpec(
                url: harness.server.url("/f"), destination: .folder(path: harness.path("missing")))
            let download = try await harness.manager.add(spec)
            #expect(await download.failure() == .fileFailed)
            #expect(harness.names.isEmpty)
        }
    }

    @Test("errors")
    func errors() async throws {
        try await ManagerTrial.run([:]) { harness in
            let download = try await harness.manager.add(harness.spec("/nothing"))
            let printed = Printed()
            let print = printed.add
            // snippet: errors
            do {
                _ = try await download.finished()
            } catch let error as DownloadError {
                print(error.code == .notFound ? "it is not there" : "\(error)")
            }
            // end snippet
            #expect(printed.lines == ["it is not there"])
        }
    }
}
