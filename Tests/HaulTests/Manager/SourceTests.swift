import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Links that expire, and secrets", .usesSockets, .timeLimit(.minutes(10)))
struct SourceTests {
    static let file = Resource.file(seed: 71, size: 1_000_000)
    static let expires = file.script { $0.number == 1 ? .stall(after: 600_000) : .status(403) }

    /// Runs with a download whose link has just expired.
    static func expired(
        _ files: [String: Resource], _ body: (ManagerTrial, Download) async throws -> Void
    ) async throws {
        try await ManagerTrial.run(files.merging(["/f": expires]) { first, _ in first }) { harness in
            let download = try await harness.manager.add(harness.spec("/f") { $0.idleTimeout = .milliseconds(500) })
            try await download.until { if case .waiting(.linkExpired) = $0 { true } else { false } }
            try await body(harness, download)
        }
    }

    @Test(
        "an expired link waits for another one, with its bytes; the same file elsewhere goes on from them (N1)",
        arguments: [true, false])
    func sameFile(isRelaunched: Bool) async throws {
        try await Self.expired(["/new": Self.file]) { harness, download in
            #expect(harness.names == ["f.part", "f.part.haul"])
            await (try harness.manager).idle()
            let refusal = await #expect(throws: DownloadError.self) { try await download.resume() }
            #expect(refusal?.code == .notPossible)
            #expect(refusal?.message.hasSuffix(": it needs a new link, or its headers, password or body again") == true)
            if isRelaunched {
                await harness.close()
                try await harness.launch()
            }
            let again = try #require(try await harness.manager.download(download.id))
            guard case .waiting(.linkExpired(let error)) = try await again.state else {
                Issue.record("\(try await again.state)")
                return
            }
            #expect(error.code == .linkExpired)
            try await again.replaceSource(url: harness.server.url("/new"))
            #expect(try await again.finished().path == harness.path("f"))
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(try await harness.server.settled().bodyBytes("/new") <= 400_000 + 2 * 65_536)
            #expect(try await again.snapshot.spec.url == harness.server.url("/new"))
            expectOneEndPerRun(try await harness.manager.allEvents())
        }
    }

    @Test(
        "another file is not joined to the bytes: it fails, they stay, and starting anew is the caller's choice (N1, T4)"
    )
    func otherFile() async throws {
        let other = Resource.file(seed: 72, size: 1_000_000)
        try await Self.expired(["/new": other]) { harness, download in
            let before = harness.bytes("f.part")
            try await download.replaceSource(url: harness.server.url("/new"))
            #expect(await download.failure() == .sourceChanged)
            #expect(harness.bytes("f.part") == before)
            #expect(harness.names == ["f.part", "f.part.haul"])
            try await download.retry(fromStart: true)
            #expect(try await download.finished().sessionBytes == 1_000_000)
            #expect(harness.bytes("f") == other.allBytes)
            expectOneEndPerRun(try await harness.manager.allEvents())
        }
    }

    @Test("the source can be replaced while it runs, waits or is paused", arguments: [0, 1, 2])
    func replaced(kind: Int) async throws {
        let stalls = Self.file.script { _ in .stall(after: 600_000) }
        try await ManagerTrial.run(["/f": stalls, "/new": Self.file, "/hold": stalls], { $0.settings.limit = 1 }) {
            harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f"))
            try await download.until(bytes: 600_000)
            if kind > 0 { try await download.pause() }
            if kind == 2 {
                let hold = try await manager.add(harness.spec("/hold"))
                try await hold.until(bytes: 600_000)
                try await download.resume()
                #expect(try await download.state == .waiting(.turn(limit: 1)))
                try await download.replaceSource(url: harness.server.url("/new"))
                try await hold.cancel()
            } else {
                try await download.replaceSource(url: harness.server.url("/new"))
            }
            if kind == 1 {
                #expect(try await download.state == .paused(.asked))
                try await download.resume()
            }
            let facts = try await download.finished()
            #expect(facts.sessionBytes <= 400_000 + 65_536)
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.server.requests("/f").count == 1)
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    /// What is secret, and where a request shows it.
    static let secrets: [(url: String, header: DownloadSpec.Header?)] = [
        ("http://", .init(name: "Authorization", value: "Bearer hunter1")),
        ("http://", .init(name: "X-Token", value: "hunter1")),
        ("http://me:hunter1@", nil), ("http://", nil),
    ]

    @Test(
        "secrets are used and never stored; after a relaunch they are asked for, and the bytes are still there",
        arguments: 0..<4, [true, false])
    func secret(kind: Int, isKilled: Bool) async throws {
        let (prefix, header) = Self.secrets[kind]
        let guarded = Self.file.script { facts in
            let given = [facts.header("Authorization"), facts.header("X-Token")].compactMap(\.self)
            guard given.contains(where: { $0.contains("hunter1") || $0 == "Basic bWU6aHVudGVyMQ==" }) else {
                return .status(401)
            }
            return facts.number == 1 ? .stall(after: 600_000) : .normal
        }
        try await ManagerTrial.run(["/f": guarded]) { harness in
            let spec = harness.spec("/f") { spec in
                spec.url = spec.url.replacing("http://", with: prefix)
                spec.headers = [header].compactMap(\.self)
                spec.authentication = .basic
                guard kind == 3 else { return }
                spec.user = "me"
                spec.password = .text("hunter1")
            }
            let id = try await harness.manager.add(spec).id
            try await harness.manager.download(id)?.until(bytes: 600_000)
            #expect(!"\(try await harness.manager.snapshot(id))".contains("hunter1"))
            if isKilled { await harness.kill() } else { await harness.close() }
            for name in harness.folder.names where name.hasPrefix("list.sqlite") || name.hasSuffix(".haul") {
                #expect(!String(decoding: harness.bytes(name) ?? [], as: UTF8.self).contains("hunter1"), "\(name)")
            }
            let manager = try await harness.launch()
            #expect(try await manager.snapshot(id).state == .waiting(.credentials))
            let waiting = try #require(try await manager.download(id))
            #expect(await code { _ = try await waiting.finished(waitsForNewLink: false) } == .notAuthorized)
            await manager.idle()
            #expect(await code { () throws(DownloadError) in try await manager.resume(id) } == .notPossible)
            if kind == 2 {
                try await manager.replaceSource(id, url: spec.url)
            } else if kind == 3 {
                try await manager.replaceSource(id, password: spec.password)
            } else {
                try await manager.replaceSource(id, headers: spec.headers)
            }
            let download = try #require(try await manager.download(id))
            #expect(try await download.finished().sessionBytes <= 400_000 + 65_536)
            #expect(harness.bytes("f") == Self.file.allBytes)
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("given again by adding it again, secrets are used, too")
    func addedAgain() async throws {
        let guarded = Self.file.script { facts in
            facts.header("Authorization") == "Bearer hunter1"
                ? facts.number == 1 ? .stall(after: 600_000) : .normal : .status(401)
        }
        try await ManagerTrial.run(["/f": guarded]) { harness in
            let spec = harness.spec("/f") { $0.headers = [.init(name: "Authorization", value: "Bearer hunter1")] }
            let id = try await harness.manager.add(spec).id
            try await harness.manager.download(id)?.until(bytes: 600_000)
            await harness.close()
            let again = try await harness.launch().add(spec)
            #expect(again.id == id)
            #expect(try await again.finished().sessionBytes == 400_000)
        }
    }

    @Test(
        "added again with other credentials, a download gets them if its own were refused, and keeps them otherwise",
        arguments: ["wrong", nil] as [String?])
    func addedAgainWithOthers(refused: String?) async throws {
        let guarded = Self.file.script { facts in
            facts.header("Authorization") == "Bearer right" ? .normal : .status(401)
        }
        try await ManagerTrial.run(["/f": guarded]) { harness in
            let manager = try harness.manager
            let first = try await manager.add(harness.spec("/f") { $0.bearerToken = refused.map { Secret.text($0) } })
            let error = await #expect(throws: DownloadError.self) { _ = try await first.finished() }
            #expect(error?.code == .notAuthorized)
            let again = try await manager.add(harness.spec("/f") { $0.bearerToken = .text("right") })
            #expect(again.id == first.id)
            _ = try await again.finished()
            #expect(harness.bytes("f") == Self.file.allBytes)
            let last = try await manager.add(harness.spec("/f") { $0.bearerToken = .text("wrong") })
            #expect(last.id == first.id)
            try await last.retry(fromStart: true)
            _ = try await last.finished()
        }
    }

    @Test("a client that may use public addresses only gives no credentials to a download that may use others")
    func addedAgainByRestrictedClient() async throws {
        let guarded = Self.file.script { facts in
            facts.header("Authorization") == "Bearer right" ? .normal : .status(401)
        }
        try await ManagerTrial.run(["/f": guarded]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f") { $0.bearerToken = .text("wrong") })
            #expect(await download.failure() == .notAuthorized)
            let again = try await manager.add(
                harness.spec("/f") { ($0.bearerToken, $0.publicAddressesOnly) = (.text("right"), true) })
            #expect(again.id == download.id)
            await manager.idle()
            #expect(try await download.state.kind == .failed)
            #expect(harness.bytes("f") == nil)
        }
    }

    @Test("added again with only some of its secrets, or by a client with fewer rights, a download sends no request")
    func addedAgainWithFewer() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let whole = harness.spec("/f") {
                $0.headers = [.init(name: "X-Key", value: "k1")]
                ($0.bearerToken, $0.startsPaused) = (.text("hunter1"), true)
            }
            let id = try await harness.manager.add(whole).id
            await harness.close()
            let manager = try await harness.launch()
            let changes: [(inout DownloadSpec) -> Void] = [
                { $0.bearerToken = nil }, { $0.headers = [] }, { $0.publicAddressesOnly = true },
            ]
            for change in changes {
                var spec = whole
                spec.startsPaused = false
                change(&spec)
                #expect(try await manager.add(spec).id == id)
                await manager.idle()
                #expect(try await manager.snapshot(id).state == .waiting(.credentials))
            }
            #expect(harness.server.requests("/f").isEmpty)
            var spec = whole
            spec.startsPaused = false
            _ = try await manager.add(spec).finished()
            #expect(
                harness.server.requests("/f").allSatisfy {
                    $0.facts.header("Authorization") == "Bearer hunter1" && $0.facts.header("X-Key") == "k1"
                })
        }
    }

    @Test(
        "a new source that comes when the file is already being named is refused, and the list names the one it is from"
    )
    func tooLate() async throws {
        let gate = HoldPoint()
        let isPast = Atomic(false)
        let hook: SystemCalls.Hook = { call in
            switch call {
            case .link(_, let to) where to.hasSuffix("/f"), .rename(_, let to) where to.hasSuffix("/f"),
                .renameNoReplace(_, let to) where to.hasSuffix("/f"):
                if !isPast.exchange(true, ordering: .acquiringAndReleasing) { gate.reach() }
            default: break
            }
            return .proceed
        }
        let other = Resource.file(seed: 72, size: 3_000_000)
        let file = Resource.file(seed: 73, size: 3_000_000)
        try await ManagerTrial.run(["/f": file, "/other": other], hook: hook) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            await gate.reached()
            let asking = Task { try await download.replaceSource(url: harness.server.url("/other")) }
            // From the first event on: it may come before a new subscription.
            for try await event in try harness.manager.events(since: 0) where event.kind == .sourceReplaced { break }
            gate.open()
            let refusal = await #expect(throws: DownloadError.self) { try await asking.value }
            #expect(refusal?.code == .notPossible)
            _ = try await download.finished()
            #expect(harness.bytes("f") == file.allBytes)
            #expect(try await download.snapshot.spec.url == harness.server.url("/f"))
            #expect(try await harness.server.settled().requests("/other").isEmpty)
        }
    }
}
