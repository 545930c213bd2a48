import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Where the file goes", .usesSockets)
struct DestinationTests {
    static let file = Resource.file(seed: 5, size: 400_000)
    static let old: [UInt8] = Array("what stood there before".utf8)

    static func folderSpec(_ harness: EngineHarness, _ url: String) -> DownloadSpec {
        DownloadSpec(url: url, destination: .folder(path: harness.folder.path))
    }

    @Test("sizes at the borders", arguments: [0, 1, 2, 255, 4096, 262_143, 262_144, 262_145, 1_048_577], [1, 6])
    func sizes(size: Int64, connections: Int) async throws {
        let resource = Resource.file(seed: 4, size: size)
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                let facts = try await harness.run(harness.spec(server.url("/f"), connections: connections)).get()
                #expect(facts.totalBytes == size)
                #expect(facts.sessionBytes == size)
                #expect(harness.bytes("f") == resource.allBytes)
                #expect(harness.names == ["f"])
            }
        }
    }

    @Test("a path with a null character, which the system would cut there, is refused")
    func nullCharacter() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                let path = "\(harness.folder.path)/a\0b"
                for destination in [Destination.file(path: path), .folder(path: path), .hashed(folder: path)] {
                    let result = await harness.run(DownloadSpec(url: server.url("/f"), destination: destination))
                    #expect(result.code == .invalidRequest)
                }
                #expect(harness.names == [])
            }
        }
    }

    @Test("the name comes from the server, else from the URL, and stays inside the folder")
    func names() async throws {
        let resources = [
            "/plain.bin": Self.file,
            "/x?id=1": Self.file,
            "/d": Self.file.contentDisposition("attachment; filename*=UTF-8''%E2%82%AC%20rates.txt"),
            "/evil": Self.file.contentDisposition("attachment; filename=\"../../etc/passwd\""),
            "/a%20b.bin": Self.file,
        ]
        try await FaultServer.run(resources) { server in
            try await EngineHarness.run { harness in
                for path in ["/plain.bin", "/d", "/evil", "/a%20b.bin"] {
                    _ = try await harness.run(Self.folderSpec(harness, server.url(path))).get()
                }
                #expect(harness.names == ["a b.bin", "passwd", "plain.bin", "€ rates.txt"])
            }
        }
    }

    /// The names of their control files would be longer than a name may be.
    @Test("an existing file with a name of 255 bytes is recognised", arguments: [249, 252, 255])
    func longNames(length: Int) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                let name = String(repeating: "x", count: length)
                try harness.folder.put(Self.old, name)
                var spec = harness.spec(server.url("/f"))
                spec.destination = .file(path: harness.path(name))
                #expect(await harness.run(spec).code == .destinationExists)
                spec.onConflict = .skip
                #expect(try await harness.run(spec).get().kept)
                #expect(harness.bytes(name) == Self.old && harness.names == [name])
            }
        }
    }

    @Test(
        "what stands there: refused before the first request, replaced, named anew or kept",
        arguments: ConflictPolicy.allCases)
    func conflicts(policy: ConflictPolicy) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Self.old, "f")
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = policy
                let result = await harness.run(spec)
                switch policy {
                case .fail:
                    #expect(result.code == .destinationExists)
                    #expect(harness.bytes("f") == Self.old)
                    #expect(server.requests("/f").isEmpty)
                    #expect(harness.names == ["f"])
                case .replace, .keep:
                    _ = try result.get()
                    #expect(harness.bytes("f") == Self.file.allBytes)
                case .skip:
                    let facts = try result.get()
                    #expect(facts.kept && facts.verification == .nothing)
                    #expect(harness.bytes("f") == Self.old)
                    #expect(server.requests("/f").isEmpty)
                case .rename:
                    #expect(try result.get().path.hasSuffix("/f (1)"))
                    #expect(harness.bytes("f") == Self.old)
                    #expect(harness.bytes("f (1)") == Self.file.allBytes)
                }
            }
        }
    }

    @Test("a file with another checksum is not skipped, and not replaced")
    func skipsOnlyTheSame() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Self.old, "f")
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .skip
                spec.checksum = try Digests.sha256(Self.file.allBytes)
                #expect(await harness.run(spec).code == .destinationExists)
                #expect(harness.bytes("f") == Self.old && harness.names == ["f"])
                harness.remove("f")
                #expect(try await !harness.run(spec).get().kept)
                #expect(try await harness.run(spec).get().kept)
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("a file that appears before the first response is not replaced", arguments: [ConflictPolicy.replace, .keep])
    func appearsEarly(policy: ConflictPolicy) async throws {
        let slow = Self.file.script { $0.number == 1 ? .status(503, ["Retry-After": "1"]) : .normal }
        try await FaultServer.run(["/f": slow]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = policy
                async let result = harness.run(spec)
                while server.requests("/f").isEmpty { await Task.yield() }
                try harness.folder.put(Self.old, "f")
                #expect(await result.code == .destinationExists)
                #expect(harness.bytes("f") == Self.old)
            }
        }
    }

    @Test("keep: another part of the same file is not the file that was asked for")
    func keepsNoOtherRange() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .keep
                for first in [Int64(0), 1000] {
                    spec.range = ByteRange(from: first, to: first + 1000)
                    let facts = try await harness.run(spec).get()
                    #expect(!facts.kept)
                    #expect(harness.bytes("f") == Array(Self.file.allBytes[Int(first)..<Int(first) + 1000]))
                }
            }
        }
    }

    @Test("keep: the same file is left alone, by date and size or by checksum", arguments: [true, false])
    func keep(byChecksum: Bool) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .keep
                if byChecksum { spec.checksum = try Digests.sha256(Self.file.allBytes) }
                #expect(try await !harness.run(spec).get().kept)
                let requests = server.requests("/f").count
                let facts = try await harness.run(spec).get()
                #expect(facts.kept && (byChecksum || facts.verification == .sizeAndDate))
                let asked = server.requests("/f").dropFirst(requests)
                let ranges = asked.map { $0.facts.header("Range") ?? "none" }
                #expect(ranges == (byChecksum ? [] : ["none", "bytes=0-0"]))
                #expect(asked.map(\.status) == (byChecksum ? [] : [304, 206]))
                #expect(
                    asked.first?.facts.header("If-Modified-Since")
                        == (byChecksum ? nil : "Wed, 01 Jan 2025 12:00:00 GMT"))
                #expect(harness.names == ["f"])
            }
        }
    }

    @Test(
        "keep: a file of the same date and another size, or of another date, is fetched again",
        arguments: [true, false])
    func keepsNoOther(hasDate: Bool) async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.onConflict = .keep
                _ = try await harness.run(spec).get()
                if hasDate {
                    let date = try FileManager.default.attributesOfItem(atPath: harness.folder.path("f"))[
                        .modificationDate]
                    try harness.folder.put(Array(Self.file.allBytes.dropLast()), "f")
                    try FileManager.default.setAttributes(
                        [.modificationDate: date as Any], ofItemAtPath: harness.folder.path("f"))
                } else {
                    try harness.folder.put(Self.file.allBytes, "f")
                }
                let facts = try await harness.run(spec).get()
                #expect(!facts.kept && harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
            }
        }
    }

    @Test("twenty downloads of one name are twenty files")
    func twenty() async throws {
        let resource = Self.file.script(.throttle(4_000_000))
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                await withTaskGroup(of: Void.self) { tasks in
                    for _ in 0..<20 {
                        tasks.addTask {
                            var spec = Self.folderSpec(harness, server.url("/f"))
                            spec.onConflict = .rename
                            #expect(await harness.run(spec).code == nil)
                        }
                    }
                }
                #expect(harness.names.count == 20)
                for name in harness.names { #expect(harness.bytes(name) == Self.file.allBytes) }
            }
        }
    }

    @Test("two downloads of one file: one works, the other says so")
    func two() async throws {
        try await FaultServer.run(["/f": Self.file.script(.throttle(400_000))]) { server in
            try await EngineHarness.run { harness in
                async let first = harness.run(harness.spec(server.url("/f")))
                async let second = harness.run(harness.spec(server.url("/f")))
                let codes = await [first.code, second.code]
                #expect(codes.contains(nil))
                #expect(codes.contains(.destinationBusy))
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("a folder, a missing folder and a link are no files")
    func odd() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                #expect(await harness.run(harness.spec(server.url("/f"), "no/such/folder")).code == .fileFailed)
                let onFolder = DownloadSpec(url: server.url("/f"), destination: .file(path: harness.folder.path))
                #expect(await harness.run(onFolder).code == .fileFailed)
                let missing = DownloadSpec(url: server.url("/f"), destination: .folder(path: harness.path("none")))
                #expect(await harness.run(missing).code == .fileFailed)
                #expect(server.requests("/f").isEmpty)
            }
        }
    }

    @Test("checksums of every kind, right and wrong")
    func checksums() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: 4)
                spec.checksum = try Digests.sha256(Self.file.allBytes)
                #expect(try await harness.run(spec).get().verified == spec.checksum)
                for algorithm in Checksum.Algorithm.allCases {
                    var wrong = harness.spec(server.url("/f"), "wrong", connections: 2)
                    wrong.checksum = try Checksum(algorithm, hex: String(repeating: "ab", count: algorithm.byteCount))
                    #expect(await harness.run(wrong).code == .checksumMismatch)
                }
                #expect(harness.names == ["f"])
            }
        }
    }
}
