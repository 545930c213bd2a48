import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Checksums that the server tells, in a header or in a file beside", .usesSockets)
struct FoundChecksumTests {
    static let file = Resource.file(seed: 31, size: 3_000_000)
    static let old: [UInt8] = Array("what stood there before".utf8)

    static func origin(_ field: String) -> ChecksumOrigin { .header(name: field, host: "127.0.0.1") }

    @Test("in a header: verified by it, over one connection and several", arguments: [1, 4])
    func header(connections: Int) async throws {
        let resources = [
            "Repr-Digest": try Self.file.reprDigest(.sha256), "Digest": try Self.file.oldDigest(.sha512),
            "Content-MD5": try Self.file.contentMD5(),
        ]
        for (field, resource) in resources {
            try await FaultServer.run(["/f": resource]) { server in
                try await EngineHarness.run { harness in
                    let facts = try await harness.run(harness.spec(server.url("/f"), connections: connections)).get()
                    guard case .checksum(let sum, let origin) = facts.verification else {
                        return #expect(Bool(false), "\(field): \(facts.verification)")
                    }
                    #expect(origin == Self.origin(field))
                    #expect(sum == (try Self.file.checksum(sum.algorithm)))
                    #expect(harness.bytes("f") == Self.file.allBytes)
                }
            }
        }
    }

    @Test(
        "a wrong header, or one flipped bit: a failure that names it, nothing published; without it the file is taken")
    func wrong() async throws {
        let flipped = try Self.file.reprDigest(.sha256).script { _ in .flipped(at: 1_234_567) }
        for resource in [try Self.file.reprDigest(.sha256, wrong: true), flipped] {
            try await FaultServer.run(["/f": resource]) { server in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(server.url("/f"), connections: 4)
                    guard case .failure(let error) = await harness.run(spec) else {
                        return #expect(Bool(false), "a wrong file was called complete")
                    }
                    #expect(error.code == .checksumMismatch)
                    #expect(error.message.contains("Repr-Digest from 127.0.0.1"))
                    #expect(harness.names.isEmpty)
                    spec.usesHeaderChecksum = false
                    let reported1 = try await harness.run(spec).get()
                    #expect(reported1.verification == .size)
                }
            }
        }
    }

    @Test("going on after an interruption it is read again, and covers all bytes")
    func resumed() async throws {
        let resource = try Self.file.reprDigest(.sha1)
        try await FaultServer.run(["/f": resource], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f"), connections: 2)
                try await harness.interrupt(spec, after: 1_000_000, server)
                server.throttle(nil)
                let facts = try await harness.run(spec).get()
                #expect(facts.verification == .checksum(try Self.file.checksum(.sha1), Self.origin("Repr-Digest")))
                #expect(facts.sessionBytes < 3_000_000)
            }
        }
    }

    /// A file of checksums beside `/d/f`, and what it must give.
    static let places: [(path: String, text: @Sendable (Resource) throws -> String)] = [
        ("/d/f.sha256", { "\(try $0.checksum(.sha256).hex)\n" }),
        ("/d/f.sha512", { "\(try $0.checksum(.sha512).hex)  /build/f\n" }),
        ("/d/SHA256SUMS", { "\(String(repeating: "0", count: 64)) *g\n\(try $0.checksum(.sha256).hex) *f\n" }),
        ("/d/CHECKSUMS", { "SHA256 (f) = \(try $0.checksum(.sha256).hex)\nMD5 (f) = \(try $0.checksum(.md5).hex)\n" }),
        ("/d/f.md5", { "\(try $0.checksum(.md5).hex)  f\n" }),
    ]

    @Test("beside the file, when asked: found and verified, or wrong and named", arguments: 0..<5, [false, true])
    func beside(location: Int, isWrong: Bool) async throws {
        let (path, text) = Self.places[location]
        let reported = isWrong ? Resource.file(seed: 32, size: 3_000_000) : Self.file
        let resources = ["/d/f": Self.file, path: Resource.text(try text(reported)).contentType("text/plain")]
        try await FaultServer.run(resources) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/d/f"))
                let reported2 = try await harness.run(spec).get()
                #expect(reported2.verification == .size)
                harness.remove("f")
                spec.findsChecksum = true
                spec.idleTimeout = .seconds(300)
                let result = await harness.run(spec)
                guard !isWrong else {
                    #expect(result.code == .checksumMismatch && harness.names.isEmpty)
                    return
                }
                guard case .checksum(let sum, .file(server.url(path))) = try result.get().verification else {
                    return #expect(Bool(false), "\(result)")
                }
                #expect(sum == (try Self.file.checksum(sum.algorithm)))
            }
        }
    }

    @Test("a page, an endless answer, another origin and a server error are no checksums, and harm nothing")
    func noChecksum() async throws {
        let sum = "\(try Self.file.checksum(.sha256).hex)  f\n"
        let elsewhere = try await FaultServer.start(["/f.md5": .text(sum)])
        let resources = [
            "/f": Self.file, "/f.sha256": Resource.text(sum).contentType("text/html; charset=utf-8"),
            "/f.sha512": Resource.text(sum).script { _ in .endless() },
            "/SHA256SUMS": .redirect(to: elsewhere.url("/f.md5")),
            "/SHA512SUMS": Resource.text(sum).script { _ in .status(503) },
            "/f.sha1": Resource.text(sum).script { _ in .emptyReply() },
            "/CHECKSUMS": .redirect(to: "/CHECKSUMS"), "/f.md5": Resource.text(sum).script { _ in .gzipped() },
        ]
        try await FaultServer.run(resources) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.findsChecksum = true
                spec.idleTimeout = .seconds(300)
                let reported3 = try await harness.run(spec).get()
                #expect(reported3.verification == .size)
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
        #expect(elsewhere.log.requests.isEmpty)
        await elsewhere.stop()
    }

    @Test("a redirect within the origin is followed; the caller's own checksum needs no search")
    func redirected() async throws {
        let sum = Resource.text("\(try Self.file.checksum(.sha256).hex)\n")
        let resources = ["/f": Self.file, "/f.sha256": .redirect(to: "/sums/1"), "/sums/1": sum]
        try await FaultServer.run(resources) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.findsChecksum = true
                spec.idleTimeout = .seconds(300)
                let reported4 = try await harness.run(spec).get()
                #expect(reported4.verified?.algorithm == .sha256)
                let before = server.log.requests("/f.sha256").count
                let given = try Self.file.checksum(.md5)
                spec.checksum = given
                spec.onConflict = .replace
                let reported5 = try await harness.run(spec).get()
                #expect(reported5.verification == .checksum(given, .given))
                #expect(server.log.requests("/f.sha256").count == before)
            }
        }
    }

    @Test("a file that is in the way ends the download before a checksum is looked for")
    func noSearch() async throws {
        try await FaultServer.run(["/f": Self.file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Self.old, "f")
                var spec = harness.spec(server.url("/f"))
                spec.findsChecksum = true
                #expect(await harness.run(spec).code == .destinationExists)
                #expect(server.log.requests.isEmpty && harness.bytes("f") == Self.old)
            }
        }
    }

    @Test(
        "a file that stands there is verified first: right is kept, wrong meets the policy",
        arguments: ConflictPolicy.allCases)
    func existing(policy: ConflictPolicy) async throws {
        let plain = Self.file.lastModified("Wed, 01 Jan 2025 12:00:00 GMT")
        let digest = try plain.reprDigest(.sha256).lastModified(nil)
        // Without a size, the digest says enough.
        for resource in [plain, digest, digest.withoutRanges().script { _ in .chunked() }] {
            try await FaultServer.run(["/f": resource]) { server in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(server.url("/f"))
                    _ = try await harness.run(spec).get()
                    spec.onConflict = policy
                    spec.verifiesExisting = true
                    let again = try await harness.run(spec).get()
                    #expect(again.kept && again.sessionBytes == 0 && harness.names == ["f"])
                    #expect(again.verification != .size)
                    try harness.folder.put(Self.old, "f")
                    let result = await harness.run(spec)
                    switch policy {
                    case .fail, .skip:
                        #expect(result.error?.isOfDifferentFile == true && harness.bytes("f") == Self.old)
                    case .rename: #expect(try result.get().path.hasSuffix("f (1)") && harness.bytes("f") == Self.old)
                    case .replace, .keep:
                        #expect(try !result.get().kept && harness.bytes("f") == Self.file.allBytes)
                    }
                }
            }
        }
    }

    @Test("a file of the same size and a later date is not verified, even if files do not get server dates")
    func laterDate() async throws {
        let resource = Self.file.lastModified("Wed, 01 Jan 2025 12:00:00 GMT")
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Self.file.allBytes.map { ~$0 }, "f")
                var spec = harness.spec(server.url("/f"))
                (spec.onConflict, spec.verifiesExisting, spec.tuning.ignoresServerDate) = (.replace, true, true)
                #expect(try await !harness.run(spec).get().kept)
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
                // `keep` would replace it.
                let other = Self.file.allBytes.map { ~$0 }
                try harness.folder.put(other, "f")
                spec.onConflict = .keep
                #expect(try await harness.run(spec).get().kept && harness.bytes("f") == other)
            }
        }
    }

    @Test(
        "a file is compared with what a server says; one that never answers is not waited for",
        .timeLimit(.minutes(5)))
    func verifiedAgainst() async throws {
        let silent = Self.file.script(.silence())
        try await FaultServer.run(["/f": try Self.file.reprDigest(.sha256), "/silent": silent]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                _ = try await harness.run(spec).get()
                #expect(try await harness.engine.verify(harness.path("f"), against: spec).name == "checksum")
                spec.url = server.url("/silent")
                (spec.connectTimeout, spec.idleTimeout) = (.milliseconds(200), .milliseconds(200))
                let error = await #expect(throws: DownloadError.self) {
                    try await harness.engine.verify(harness.path("f"), against: spec)
                }
                #expect(error?.code == .timedOut)
            }
        }
    }
}
