import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulEngine

@Suite("Web pages under other files' names", .usesSockets)
struct WebPageTests {
    @Test("a page under a file's name is told of; under a page's it is nobody's business", arguments: [3000, 600_000])
    func reported(size: Int64) async throws {
        let page = Resource.file(seed: 41, size: size).script(
            ServerScript.normal.header("Content-Type", "text/html; charset=utf-8"))
        try await FaultServer.run(["/f.zip": page, "/f.html": page, "/f": page]) { server in
            for (name, isNamed) in [("f.zip", true), ("f.html", false), ("f", false)] {
                try await EngineHarness.run { harness in
                    _ = try await harness.run(harness.spec(server.url("/" + name), name)).get()
                    #expect(harness.bytes(name)?.count == Int(size))
                    #expect(harness.events.contains(.notice(.webPage)) == isNamed, "\(name)")
                }
            }
        }
    }

    @Test(
        "a page, such as that of an expired login, does not replace bytes of the file, however its name is chosen",
        arguments: ["given", "by the server", "numbered", "of unknown size", "by the server, of unknown size"])
    func keepsBytes(name: String) async throws {
        var file = Resource.file(seed: 42, size: 2_000_000)
        if name.hasPrefix("by the server") { file = file.contentDisposition("attachment; filename=f.zip") }
        if name.hasSuffix("of unknown size") { file = file.script(.chunked()) }
        let page = Resource.file(seed: 43, size: 3000).script(ServerScript.normal.header("Content-Type", "text/html"))
        try await FaultServer.run(["/f.zip": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.zip"), "f.zip")
                if name.hasPrefix("by the server") { spec.destination = .folder(path: harness.folder.path) }
                if name == "numbered" {
                    spec.onConflict = .rename
                    try harness.folder.put([1], "f.zip")
                }
                let final = name == "numbered" ? "f (1).zip" : "f.zip"
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f.zip", page)
                #expect(await harness.run(spec).code == .unexpectedStatus)
                #expect(harness.names.contains("\(final).part") && !harness.names.contains(final))
                server.set("/f.zip", file)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes(final) == file.allBytes)
                #expect((harness.resumedBytes.last ?? 0) > 100_000)
            }
        }
    }

    @Test(
        "nor one in response to a range, nor under a name that says nothing; one with validators may be a file",
        arguments: [("f.zip", true, false), ("f", false, false), ("f", false, true)])
    func keepsBytesOfAnyName(name: String, inRange: Bool, hasDate: Bool) async throws {
        let file = Resource.file(seed: 42, size: 2_000_000)
        var page = Resource.file(seed: 43, size: inRange ? 2_000_000 : 3000).etag(nil)
        page = hasDate ? page : page.lastModified(nil)
        let reply = page.script(ServerScript.normal.header("Content-Type", "text/html"))
        try await FaultServer.run(["/f": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f"), name)
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f", reply)
                let result = await harness.run(spec)
                #expect(result.code == (hasDate ? nil : .unexpectedStatus))
                #expect(harness.names.contains("\(name).part") != hasDate)
            }
        }
    }

    @Test(
        "nor do errors that are no pages, nor empty responses, also if a checksum is known",
        arguments: [
            ("application/json", 30), ("application/problem+json", 30), ("application/xml", 30),
            ("text/plain; charset=utf-8", 30), ("application/octet-stream", 0), ("application/octet-stream", 30),
        ] as [(String, Int64)], [false, true])
    func keepsBytesFromErrors(error: (type: String, size: Int64), hasChecksum: Bool) async throws {
        let file = Resource.file(seed: 42, size: 2_000_000)
        let reply = Resource.file(seed: 43, size: error.size).etag(nil).lastModified(nil)
        try await FaultServer.run(["/f.zip": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.zip"), "f.zip")
                if hasChecksum { spec.checksum = try Digests.sha256(file.allBytes) }
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f.zip", reply.script(ServerScript.normal.header("Content-Type", error.type)))
                #expect(await harness.run(spec).code == .unexpectedStatus)
                server.set("/f.zip", file)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f.zip") == file.allBytes && (harness.resumedBytes.last ?? 0) > 100_000)
            }
        }
    }

    @Test(
        "nor do responses without size and tag, which may end anywhere", arguments: [0, 30, 499_000] as [Int64],
        [ServerScript.chunked(), .withoutLength(), .withoutLength().withoutHeader("Last-Modified")])
    func keepsBytesFromStrays(size: Int64, script: ServerScript) async throws {
        let file = Resource.file(seed: 42, size: 2_000_000)
        let reply = Resource.file(seed: 43, size: size).etag(nil).script(script)
        try await expectKept(file, "f.bin", from: reply)
    }

    @Test(
        "nor do errors as text with an ETag, which some servers give every response",
        arguments: ["application/json", "text/plain", "application/xml"],
        [(.normal, true), (.chunked(), true), (.normal, false), (.chunked(), false)] as [(ServerScript, Bool)])
    func keepsBytesFromTaggedErrors(type: String, error: (script: ServerScript, knowsSize: Bool)) async throws {
        let file = Resource.file(seed: 42, size: 2_000_000).script(error.knowsSize ? .normal : .chunked())
        let reply = Resource.file(seed: 43, size: 30).etag("W/\"1b\"").script(error.script.header("Content-Type", type))
        try await expectKept(file, "f.zip", from: reply)
    }

    @Test(
        "a smaller version with a date and a tag replaces bytes, if its name is one of text or the response is compressed",
        arguments: [
            ("f.json", "application/json", false), ("f.csv", "text/csv", false), ("f.json", "application/json", true),
            ("f.bin", "application/octet-stream", true),
        ])
    func takesNewVersions(name: String, type: String, isCompressed: Bool) async throws {
        let script = ServerScript.normal.header("Content-Type", type)
        let file = Resource.file(seed: 42, size: 2_000_000).script(script)
        let new = Resource.file(seed: 43, size: 400_000).lastModified("Thu, 02 Jan 2025 12:00:00 GMT")
            .script { request in
                let accepts = request.headers.contains { $0.value.contains("gzip") }
                return isCompressed && accepts ? script.gzipped() : script
            }
        try await FaultServer.run(["/\(name)": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/\(name)"), name)
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/\(name)", new)
                if isCompressed { spec.compression = .request }
                _ = try await harness.run(spec).get()
                #expect(harness.bytes(name) == new.allBytes)
            }
        }
    }

    /// Expects that the bytes of an interrupted download outlive a response in their place, which is an error.
    private func expectKept(_ file: Resource, _ name: String, from reply: Resource) async throws {
        try await FaultServer.run(["/\(name)": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/\(name)"), name)
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/\(name)", reply)
                #expect(await harness.run(spec).code == .unexpectedStatus)
                server.set("/\(name)", file)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes(name) == file.allBytes && (harness.resumedBytes.last ?? 0) > 100_000)
            }
        }
    }

    @Test(
        "a single error with status 200 in response to a range costs no data", arguments: ["text/html", "text/plain"])
    func survivesOneError(type: String) async throws {
        let error = Resource.file(seed: 43, size: 30).etag(nil).lastModified(nil)
        let file = Resource.file(seed: 42, size: 2_000_000)
        try await FaultServer.run(["/f.zip": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f.zip"), "f.zip")
                try await harness.interrupt(spec, after: 1_000_000, server)
                server.throttle(nil)
                let before = try await server.settled().requests("/f.zip").count
                server.set(
                    "/f.zip",
                    file.script {
                        $0.number == before + 1 ? .serving(error).ignoringRange().header("Content-Type", type) : .normal
                    })
                let sent = server.totalBodyBytes
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f.zip") == file.allBytes)
                #expect(server.totalBodyBytes - sent < 1_600_000)
            }
        }
    }

    @Test("only a partial file that exists is said to be kept", arguments: [100_000, 1_000_000] as [Int64])
    func namesThePartialFile(size: Int64) async throws {
        let page = Resource.file(seed: 43, size: 30).etag(nil).lastModified(nil)
        let file = Resource.file(seed: 42, size: size).script {
            $0.number == 1 ? .cut(after: 90_000) : .serving(page).header("Content-Type", "text/html")
        }
        try await FaultServer.run(["/f.zip": file]) { server in
            try await EngineHarness.run { harness in
                let error = try #require(await harness.run(harness.spec(server.url("/f.zip"), "f.zip")).error)
                #expect(error.code == .unexpectedStatus)
                let isKept = size > 256 << 10
                #expect(error.message.contains("the partial file is kept") == isKept)
                #expect(harness.names.contains("f.zip.part") == isKept)
            }
        }
    }

    @Test(
        "a response of the same version without a size, which is cut by the end of its connection, is not the file",
        arguments: [1000, 400_000, 1_999_999] as [Int64], [true, false])
    func knowsTheSizeOfItsVersion(cut: Int64, hasTag: Bool) async throws {
        let file = Resource.file(seed: 42, size: 2_000_000)
        let whole = hasTag ? file : file.etag(nil)
        try await FaultServer.run(["/f.bin": whole], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.bin"), "f.bin")
                spec.retries = 1
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f.bin", whole.script(ServerScript.ignoringRange().withoutLength().cut(after: cut)))
                #expect(await harness.run(spec).code != nil)
                #expect(harness.names.contains("f.bin.part") && !harness.names.contains("f.bin"))
                server.set("/f.bin", whole)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f.bin") == file.allBytes && (harness.resumedBytes.last ?? 0) > 100_000)
            }
        }
    }

    @Test(
        "nor is it if the response before it broke before its first byte",
        arguments: [0, 1, 400_000] as [Int64], [true, false])
    func knowsTheSizeOfABrokenResponse(received: Int64, isChunked: Bool) async throws {
        let file = Resource.file(seed: 42, size: 2_000_000).etag("\"1\"")
        let short = Resource.file(seed: 42, size: 800_000).etag("\"1\"")
        let reply = ServerScript.serving(short).ignoringRange()
        let resource = file.script { request in
            if request.number == 1 { return .ignoringRange().cut(after: received) }
            return isChunked ? reply.chunked() : reply.withoutLength()
        }
        try await FaultServer.run(["/f.bin": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.bin"), "f.bin")
                spec.retries = 2
                spec.tuning.retryWait = .milliseconds(1)
                #expect(await harness.run(spec).code != nil)
                #expect(!harness.names.contains("f.bin"), "\(harness.names)")
            }
        }
    }

    @Test(
        "nor is it if only ranges have shown the size of the new version: they continue it",
        arguments: [2_000_000, 2_100_000] as [Int64])
    func knowsTheSizeOfRanges(size: Int64) async throws {
        let versions = [(42, 2_000_000), (43, size)].map { Resource.file(seed: $0, size: $1).etag("\"\($0)\"") }
        let short = Resource.file(seed: 43, size: 800_000).etag("\"43\"")
        let resource = versions[0].script { request in
            if request.number == 1 { return .ignoringRange().cut(after: 1_000_000) }
            return request.header("range") == nil
                ? .serving(short).ignoringRange().chunked() : .serving(versions[1]).ignoringIfRange()
        }
        try await FaultServer.run(["/f.bin": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.bin"), "f.bin")
                spec.retries = 2
                spec.tuning.retryWait = .milliseconds(1)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f.bin") == versions[1].allBytes)
                #expect(harness.events.contains(.notice(.sourceChanged)))
            }
        }
    }

    @Test(
        "data of unknown size is not replaced by a response without size and tag, a shorter one, or an empty one",
        arguments: [
            ("\"1\"", "\"1\"", 0), ("\"1\"", "\"1\"", 30), ("\"1\"", "\"1\"", 400_000), ("\"1\"", nil, 0),
            ("\"1\"", nil, 30),
            ("\"1\"", nil, 400_000), (nil, nil, 0),
        ] as [(tag: String?, newTag: String?, size: Int64)])
    func keepsBytesOfUnknownSize(tag: String?, newTag: String?, size: Int64) async throws {
        func chunked(_ size: Int64, _ tag: String?) -> Resource {
            Resource.file(seed: 42, size: size).etag(tag).lastModified(nil).script(
                ServerScript.ignoringRange().chunked())
        }
        try await FaultServer.run(["/f.bin": chunked(2_000_000, tag)], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.bin"), "f.bin")
                spec.retries = 1
                spec.tuning.retryWait = .milliseconds(1)
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f.bin", chunked(size, newTag))
                #expect(await harness.run(spec).code != nil)
                #expect(!harness.names.contains("f.bin"), "\(harness.names)")
                // Of the same version, or if nothing is known, it may be the file: its bytes have replaced the data.
                if tag != newTag { #expect(harness.names.contains("f.bin.part")) }
            }
        }
    }

    @Test("an empty response with the validators of existing data does not replace it")
    func emptyOfSameVersion() async throws {
        let file = Resource.file(seed: 42, size: 2_000_000).etag(nil)
        try await FaultServer.run(["/f.bin": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f.bin"), "f.bin")
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f.bin", Resource.file(seed: 42, size: 0).etag(nil))
                #expect(await harness.run(spec).code == .unexpectedStatus)
                server.set("/f.bin", file)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f.bin") == file.allBytes && (harness.resumedBytes.last ?? 0) > 100_000)
            }
        }
    }

    @Test("an empty response with an ETag of its own does not replace existing data")
    func emptyWithTag() async throws {
        let empty = Resource.file(seed: 43, size: 0).etag("W/\"0-2jmj7l5rSw0yVb/vlWAYkK/YBwk\"").lastModified(nil)
        try await expectKept(Resource.file(seed: 42, size: 2_000_000), "f.iso", from: empty)
    }

    @Test("an empty response without a length and validators does not replace data of unknown size")
    func emptyOfUnknownSize() async throws {
        func resource(_ size: Int64) -> Resource {
            .file(seed: 42, size: size).etag(nil).lastModified(nil).script(.ignoringRange().chunked())
        }
        try await FaultServer.run(["/f.bin": resource(2_000_000)], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f.bin"), "f.bin")
                try await harness.interrupt(spec, after: 500_000, server)
                let before = harness.bytes("f.bin.part")
                server.throttle(nil)
                server.set("/f.bin", resource(0))
                #expect(await harness.run(spec).code == .unexpectedStatus)
                #expect(harness.bytes("f.bin.part") == before && before?.isEmpty == false)
                server.set("/f.bin", resource(2_000_000))
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f.bin") == resource(2_000_000).allBytes)
            }
        }
    }

    @Test("a page that was one before may be replaced by another")
    func pageByPage() async throws {
        let html = Array("<!DOCTYPE html>".utf8)
        func page(_ seed: UInt64) -> Resource {
            var page = Resource.bytes(html + Resource.file(seed: seed, size: 2_000_000).allBytes)
            page = page.etag(nil).lastModified(nil)
            return page.script(ServerScript.normal.header("Content-Type", "text/html"))
        }
        try await FaultServer.run(["/f": page(1)], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f"), "f")
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f", page(2))
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == page(2).allBytes)
            }
        }
    }

    @Test("it is an error if the caller says so, and nothing is left", arguments: [3000, 600_000])
    func refused(size: Int64) async throws {
        let page = Resource.file(seed: 41, size: size).script(ServerScript.normal.header("Content-Type", "TEXT/HTML"))
        try await FaultServer.run(["/f.zip": page]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.zip"), "f.zip")
                spec.failsOnHTML = true
                let result = await harness.run(spec)
                #expect(result.code == .unexpectedStatus)
                #expect(harness.names.isEmpty)
            }
        }
    }
}
