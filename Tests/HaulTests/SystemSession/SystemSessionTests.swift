import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Conformance of the manager over a system session", .usesSockets)
struct SystemSessionConformanceTests {
    @Test(arguments: ManagerConformance.checks)
    func conforms(_ check: ManagerConformance.Check) async throws {
        try await check.run { resources, body in
            try await ManagerTrial.run(resources, session: 1) { harness in
                try await body(
                    ManagerConformanceSite(
                        manager: try harness.manager, server: harness.server, folder: harness.folder.path))
            }
        }
    }
}

@Suite("Downloads of a system session", .usesSockets, .timeLimit(.minutes(10)))
struct SystemSessionTests {
    static let file = Resource.file(seed: 61, size: 400_000)
    static let stalls = file.script { facts in facts.number == 1 ? .stall(after: 150_000) : .normal }

    static func run(_ resources: [String: Resource], _ body: (ManagerTrial) async throws -> Void) async throws {
        try await ManagerTrial.run(resources, session: 5) { try await body($0) }
    }

    @Test("its capabilities say what the system can't do")
    func capabilities() async throws {
        try await Self.run([:]) { harness in
            let capabilities = try harness.manager.capabilities
            #expect(capabilities.contains([.background, .persistent]))
            #expect(capabilities.isDisjoint(with: [.segments, .rateLimits]))
        }
    }

    @Test("a task goes on while no process runs, and the next one finds the file", arguments: [true, false])
    func goesOn(isKilled: Bool) async throws {
        try await Self.run(["/a": Self.file.script { _ in .throttle(1_000_000) }]) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            try await download.until(bytes: 50_000)
            if isKilled { await harness.kill() } else { await harness.close() }
            while harness.session?.taskCount != 0 { await Task.yield() }
            #expect(harness.bytes("a") == nil)
            let again = try #require(try await harness.launch().download(download.id))
            let facts = try await again.finished()
            #expect(harness.bytes("a") == Self.file.allBytes && facts.totalBytes == 400_000)
            // One request, by whichever process.
            #expect(harness.server.requests("/a").count == 1)
            let manager = try harness.manager
            expectOneEndPerRun(await manager.allEvents())
            #expect(harness.session?.answers == 1)
        }
    }

    @Test("a download that was paused by another process is continued from its resume data")
    func resumeData() async throws {
        try await Self.run(["/a": Self.stalls]) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            try await download.until(bytes: 150_000)
            try await download.pause()
            await harness.kill()
            let again = try #require(try await harness.launch().download(download.id))
            try await again.resume()
            #expect(try await again.finished().sessionBytes == 250_000)
            #expect(harness.bytes("a") == Self.file.allBytes)
        }
    }

    @Test("a task of a download that was removed meanwhile is cancelled at launch")
    func removed() async throws {
        try await Self.run(["/a": Self.stalls]) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            try await download.until(bytes: 150_000)
            // Killed before the system has heard of the removal.
            await harness.kill { try? FileManager.default.removeItem(atPath: harness.path("list.sqlite")) }
            #expect(harness.session?.taskCount == 1)
            try await harness.launch()
            #expect(harness.session?.taskCount == 0)
        }
    }

    @Test("a file with a wrong checksum gets no name, and nothing of it is kept")
    func wrongChecksum() async throws {
        try await Self.run(["/a": Self.file]) { harness in
            let checksum = try Checksum(parsing: "sha256:" + String(repeating: "0", count: 64))
            let download = try await harness.manager.add(harness.spec("/a") { $0.checksum = checksum })
            #expect(await download.failure() == .checksumMismatch)
            #expect(harness.names.filter { !$0.hasPrefix("a.part") } == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: harness.path("session")) == [])
        }
    }

    @Test("a right checksum is verified, and the server's name and date are taken")
    func verified() async throws {
        let file = Self.file.lastModified("Wed, 01 Jan 2025 12:00:00 GMT")
            .script { _ in .normal.header("Content-Disposition", "attachment; filename=\"named.bin\"") }
        try await Self.run(["/a": file]) { harness in
            let checksum = try Digests.sha256(file.allBytes)
            let download = try await harness.manager.add(
                harness.spec("/a") {
                    $0.checksum = checksum
                    $0.destination = .folder(path: harness.folder.path)
                })
            let facts = try await download.finished()
            #expect(facts.verified == checksum && facts.path == harness.path("named.bin"))
            #expect(harness.bytes("named.bin") == file.allBytes)
        }
    }

    @Test("an error page is not a file", arguments: [(404, DownloadError.Code.notFound), (403, .notAuthorized)])
    func errorPage(status: Int, code: DownloadError.Code) async throws {
        try await Self.run(["/a": Self.file.script { _ in .status(status) }]) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            #expect(await download.failure() == code)
            #expect(harness.names == [])
        }
    }

    @Test("a busy server is asked again, as often as the download says")
    func busy() async throws {
        let busy = Self.file.script { facts in facts.number < 3 ? .status(503) : .normal }
        try await Self.run(["/a": busy]) { harness in
            _ = try await harness.manager.add(harness.spec("/a")).finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            harness.server.set("/b", Self.file.script { _ in .status(503) })
            let download = try await harness.manager.add(harness.spec("/b") { $0.retries = 1 })
            #expect(await download.failure() == .serverBusy)
            #expect(harness.server.requests("/b").count == 2)
        }
    }

    @Test("credentials and headers that a redirect would carry to other hosts are refused")
    func secrets() async throws {
        try await Self.run(["/a": Self.file]) { harness in
            let download = try await harness.manager.add(
                harness.spec("/a") { $0.headers = [.init(name: "X-Token", value: "secret")] })
            #expect(await download.failure() == .invalidRequest)
            #expect(harness.server.requests("/a").isEmpty)
        }
    }

    @Test("a file that exists at the destination is not replaced, and the delivered one is kept for a retry")
    func existing() async throws {
        try await Self.run(["/a": Self.file]) { harness in
            try harness.folder.put([1], "a")
            let download = try await harness.manager.add(harness.spec("/a"))
            #expect(await download.failure() == .destinationExists)
            #expect(harness.bytes("a") == [1])
            try FileManager.default.removeItem(atPath: harness.path("a"))
            try await download.retry()
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            #expect(harness.server.requests("/a").count == 1)
        }
    }

    @Test("a delivered file that was deleted before its verification is fetched again")
    func deleted() async throws {
        try await Self.run(["/a": Self.file]) { harness in
            try harness.folder.put([1], "a")
            let download = try await harness.manager.add(harness.spec("/a"))
            #expect(await download.failure() == .destinationExists)
            try FileManager.default.removeItem(atPath: harness.path("session/\(download.id).file"))
            try FileManager.default.removeItem(atPath: harness.path("a"))
            try await download.retry()
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            #expect(harness.server.requests("/a").count == 2)
        }
    }
}
