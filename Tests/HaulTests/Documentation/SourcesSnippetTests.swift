import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: ranges, mirrors, requests and streams", .usesSockets)
struct SourcesSnippetTests {
    static let file = Resource.file(seed: 41, size: 3_000_000)

    @Test("a part of a file")
    func range() async throws {
        try await ManagerTrial.run(["/film.mp4": Self.file]) { harness in
            let manager = try harness.manager
            let (url, folder) = (harness.server.url("/film.mp4"), harness.folder.path)
            // snippet: range
            var spec = DownloadSpec(url: url, destination: .file(path: "\(folder)/beginning.bin"))
            spec.range = ByteRange(0, 1_000_000)
            let facts = try await manager.add(spec).finished()
            // end snippet
            #expect(facts.totalBytes == 1_000_000)
            #expect(harness.bytes("beginning.bin") == Self.file.bytes(0..<1_000_000))
        }
    }

    @Test("mirrors")
    func mirrors() async throws {
        try await ManagerTrial.run(["/a": Self.file.script { _ in .status(404) }, "/b": Self.file]) { harness in
            let manager = try harness.manager
            let (url, mirror, folder) = (harness.server.url("/a"), harness.server.url("/b"), harness.folder.path)
            let digest = try Digests.sha256(Self.file.allBytes).description
            // snippet: mirrors
            var spec = DownloadSpec(url: url, destination: .file(path: "\(folder)/big.iso"))
            spec.mirrors = [DownloadSpec.Mirror(url: mirror, priority: 2)]
            spec.checksum = try Checksum(parsing: digest)
            let facts = try await manager.add(spec).finished()
            // end snippet
            #expect(facts.verified == spec.checksum)
            #expect(harness.bytes("big.iso") == Self.file.allBytes)
        }
    }

    /// A Metalink document with a file that the server of the request has.
    private static func document(_ host: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <metalink xmlns="urn:ietf:params:xml:ns:metalink">
          <file name="big.iso"><size>3000000</size><url>http://\(host)/b</url></file>
        </metalink>
        """
    }

    @Test("Metalink")
    func metalink() async throws {
        let description = Self.file.script { .status(200, body: Self.document($0.header("Host") ?? "")) }
        try await ManagerTrial.run(["/big.meta4": description, "/b": Self.file]) { harness in
            let manager = try harness.manager
            let (url, folder) = (harness.server.url("/big.meta4"), harness.folder.path)
            let printed = Printed()
            let print = printed.add
            // snippet: metalink
            let engine = try DownloadEngine()
            let document = try await engine.metalink(from: url)
            await engine.shutdown()
            for omission in document.omissions { print(omission) }
            for result in try await manager.add(contentsOf: document.specs(folder: folder)) {
                let facts = try await result.get().finished()
                print("\(facts.path) is complete")
            }
            // end snippet
            #expect(printed.lines == ["\(harness.path("big.iso")) is complete"])
            #expect(harness.bytes("big.iso") == Self.file.allBytes)
        }
    }

    @Test("a stream")
    func stream() async throws {
        try await FaultServer.run(["/film.mp4": Self.file]) { server in
            let (url, folder) = (server.url("/film.mp4"), "/nowhere")
            var received: [UInt8] = []
            // snippet: stream
            let engine = try DownloadEngine()
            let spec = DownloadSpec(url: url, destination: .folder(path: folder))
            let result = await engine.stream(spec) { bytes in
                received += bytes
                return true
            }
            let facts = try result.get()
            await engine.shutdown()
            // end snippet
            #expect(facts.totalBytes == 3_000_000 && received == Self.file.allBytes)
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
