import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: ranges, mirrors, streams and proxies", .usesSockets)
struct SourcesSnippetTests {
    static let file = Resource.file(seed: 41, size: 3_000_000)

    @Test("a range of a file")
    func range() async throws {
        try await ManagerTrial.run(["/f": Self.file, "/whole": Self.file.withoutRanges()]) { trial in
            let manager = try trial.manager
            let (url, folder) = (trial.server.url("/f"), trial.folder.path)
            // snippet: range
            var spec = DownloadSpec(url: url, destination: .file(path: "\(folder)/head"))
            spec.range = ByteRange(0, 1_000_000)
            let facts = try await manager.add(spec).finished()
            // end snippet
            #expect(facts.totalBytes == 1_000_000)
            #expect(trial.bytes("head") == Array(Self.file.allBytes.prefix(1_000_000)))
            spec.url = trial.server.url("/whole")
            spec.range = ByteRange(10, 20)
            spec.destination = .file(path: "\(folder)/other")
            let other = try await manager.add(spec)
            #expect(await code { _ = try await other.finished() } == .badResponse)
        }
    }

    @Test("mirrors, one of which is missing")
    func mirrors() async throws {
        let gone = Self.file.script { _ in .status(404) }
        try await ManagerTrial.run(["/f": gone, "/1": gone, "/2": Self.file]) { trial in
            let manager = try trial.manager
            let (url, folder) = (trial.server.url("/f"), trial.folder.path)
            let (first, second) = (trial.server.url("/1"), trial.server.url("/2"))
            let digest = try Digests.sha256(Self.file.allBytes).hex
            // snippet: mirrors
            var spec = DownloadSpec(url: url, destination: .folder(path: folder))
            spec.mirrors = [DownloadSpec.Mirror(url: first), DownloadSpec.Mirror(url: second, priority: 2)]
            spec.checksum = try Checksum(parsing: "sha256:\(digest)")
            let facts = try await manager.add(spec).finished()
            // end snippet
            #expect(facts.verified == spec.checksum)
            #expect(trial.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("the files of a Metalink")
    func metalink() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { trial in
            let digest = try Digests.sha256(Self.file.allBytes).hex
            trial.server.set(
                "/x.meta4",
                .text(
                    """
                    <metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='f'><size>3000000</size>
                    <hash type='sha-256'>\(digest)</hash><url>\(trial.server.url("/f"))</url></file></metalink>
                    """))
            let manager = try trial.manager
            let (url, folder) = (trial.server.url("/x.meta4"), trial.folder.path)
            // snippet: metalink
            let engine = try DownloadEngine()
            let document = try await engine.metalink(from: url)
            let results = try await manager.add(contentsOf: document.specs(folder: folder))
            // end snippet
            for result in results { _ = try await result.get().finished() }
            await engine.shutdown()
            #expect(trial.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("a stream")
    func stream() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            let url = server.url("/f")
            // snippet: stream
            let engine = try DownloadEngine()
            var received = 0
            let result = await engine.stream(DownloadSpec(url: url, destination: .folder(path: "/"))) { bytes in
                received += bytes.count
                return true
            }
            let facts = try result.get()
            await engine.shutdown()
            // end snippet
            #expect(facts.totalBytes == 3_000_000 && received == 3_000_000)
        }
    }

    @Test("an engine alone")
    func engine() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            let temporary = try TemporaryFolder()
            let (url, folder) = (server.url("/f"), temporary.path)
            let printed = Printed()
            let print = printed.add
            // snippet: engine
            let engine = try DownloadEngine()
            let spec = DownloadSpec(url: url, destination: .folder(path: folder))
            let result = await engine.run(spec) { event in
                if case .progress(let progress) = event { print("\(progress.fileBytes) bytes") }
            }
            print("\(try result.get().path) is complete")
            await engine.shutdown()
            // end snippet
            #expect(printed.lines.last == "\(temporary.path("f")) is complete")
            #expect(temporary.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("a password")
    func login() async throws {
        let protected = Self.file.script {
            $0.header("Authorization") == "Basic YW5uYTpzM2NyZXQ="
                ? .normal : .status(401, ["WWW-Authenticate": "Basic realm=\"x\""])
        }
        try await ManagerTrial.run(["/f": protected]) { trial in
            let manager = try trial.manager
            let (url, folder, password) = (trial.server.url("/f"), trial.folder.path, "s3cret")
            // snippet: login
            var spec = DownloadSpec(url: url, destination: .folder(path: folder))
            spec.authentication = .basic
            spec.user = "anna"
            spec.password = .text(password)
            let facts = try await manager.add(spec).finished()
            // end snippet
            #expect(facts.totalBytes == 3_000_000)
        }
    }

    @Test("a proxy")
    func proxy() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await TestProxy.run(.http()) { proxy in
                let folder = try TemporaryFolder()
                let (port, list) = (proxy.port, folder.path("list"))
                // snippet: proxy
                var configuration = ManagerConfiguration(storage: .file(path: list))
                configuration.proxies = try ProxySettings(url: "http://127.0.0.1:\(port)", noProxy: "nas.local")
                let manager = try await DownloadManager(configuration)
                // end snippet
                let spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: folder.path))
                _ = try await manager.add(spec).finished()
                await manager.close()
                #expect(proxy.connections > 0)
                #expect(folder.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("a stream that its receiver ends")
    func endedStream() async throws {
        try await FaultServer.run(["/film.mp4": Self.file]) { server in
            let engine = try DownloadEngine()
            let spec = DownloadSpec(url: server.url("/film.mp4"), destination: .folder(path: "/nowhere"))
            let result = await engine.stream(spec) { _ in false }
            #expect(result == .failure(DownloadError(.cancelled, "stopped; no data is kept")))
            await engine.shutdown()
        }
    }

    @Test("a POST")
    func post() async throws {
        let echo = Self.file.script { facts in
            .status(200, body: "\(facts.header("Content-Type") ?? "-") \(String(decoding: facts.body, as: UTF8.self))")
        }
        try await ManagerTrial.run(["/search": echo]) { harness in
            let manager = try harness.manager
            let (url, folder) = (harness.server.url("/search"), harness.folder.path)
            // snippet: post
            var spec = DownloadSpec(url: url, destination: .file(path: "\(folder)/rows.json"))
            spec.body = DownloadSpec.RequestBody(#"{"year": 2026}"#, mediaType: "application/json")
            let facts = try await manager.add(spec).finished()
            // end snippet
            #expect(facts.path == harness.path("rows.json"))
            #expect(harness.bytes("rows.json") == Array(#"application/json {"year": 2026}"#.utf8))
            var bare = DownloadSpec(url: url, destination: .file(path: harness.path("bare")))
            bare.body = DownloadSpec.RequestBody("a=1")
            _ = try await manager.add(bare).finished()
            // Unlike the command, the library adds no type of its own.
            #expect(harness.bytes("bare") == Array("- a=1".utf8))
        }
    }
}
