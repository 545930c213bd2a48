import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal
@testable import HaulManager

@Suite("The queue of a manager", .usesSockets)
struct QueueTests {
    static let file = Resource.file(seed: 65, size: 300_000)
    static let stalls = file.script { _ in .stall(after: 100_000) }

    static func stalling(_ count: Int) -> [String: Resource] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0)", stalls) })
    }

    /// Which downloads have started so far, in order.
    static func started(_ manager: DownloadManager) async -> [DownloadID] {
        await manager.allEvents().filter { $0.kind.word == "started" }.map(\.download)
    }

    @Test("three at once unless told otherwise; the others wait and say so; a change holds at once (U22, T13)")
    func limit() async throws {
        try await ManagerTrial.run(Self.stalling(7)) { harness in
            let manager = try harness.manager
            var settings = try await manager.currentSettings
            #expect(settings.limit == 3)
            let all = try await harness.add((0..<7).map { harness.spec("/\($0)") })
            for download in all[..<3] { try await download.until(bytes: 100_000) }
            for download in all[3...] { #expect(try await download.state == .waiting(.turn(limit: 3))) }
            settings.limit = 5
            try await manager.update(settings)
            for download in all[3..<5] { try await download.until(bytes: 100_000) }
            #expect(try await all[5].state == .waiting(.turn(limit: 5)))
            settings.limit = 1
            try await manager.update(settings)
            for download in all[..<5] { #expect(try await download.state == .running) }
            for download in all[..<4] { try await download.cancel() }
            #expect(try await all[5].state == .waiting(.turn(limit: 1)))
            #expect(await Self.started(manager).sorted() == all[..<5].map(\.id))
            try await all[4].cancel()
            try await all[5].until(bytes: 100_000)
            #expect(try await all[6].state == .waiting(.turn(limit: 1)))
            #expect(harness.server.maximumConcurrent <= 5)
        }
    }

    @Test(
        "the order: first in first out, or last in; priority before both, also changed while it waits (U22)",
        arguments: [QueueOrder.fifo, .lifo], [true, false])
    func order(order: QueueOrder, hasPriorities: Bool) async throws {
        var files = Dictionary(uniqueKeysWithValues: (1...4).map { ("/\($0)", Self.file) })
        files["/0"] = Self.stalls
        let change: @Sendable (inout ManagerConfiguration) -> Void = {
            ($0.settings.limit, $0.settings.order) = (1, order)
        }
        try await ManagerTrial.run(files, change) { harness in
            let manager = try harness.manager
            let hold = try await manager.add(harness.spec("/0"))
            try await hold.until(bytes: 100_000)
            let all = try await harness.add(
                (1...4).map { index in harness.spec("/\(index)") { $0.priority = hasPriorities && index == 3 ? 5 : 0 } }
            )
            if hasPriorities { try await all[1].set(priority: 10) }
            try await hold.cancel()
            await manager.idle()
            let plain = order == .fifo ? [0, 1, 2, 3] : [3, 2, 1, 0]
            let expected = hasPriorities ? [1, 2] + plain.filter { $0 != 1 && $0 != 2 } : plain
            #expect(await Self.started(manager).dropFirst().map { id in all.firstIndex { $0.id == id } } == expected)
        }
    }

    @Test("moved in the list, its turn moves with it (U22)")
    func move() async throws {
        try await ManagerTrial.run(Self.stalling(4), { $0.settings.limit = 1 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add((0..<4).map { harness.spec("/\($0)") })
            try await all[0].until(bytes: 100_000)
            try await all[3].move(to: 1)
            try await all[1].move(to: 100)
            #expect(try await manager.snapshots().map(\.id) == [all[0].id, all[3].id, all[2].id, all[1].id])
            for path in ["/1", "/2", "/3"] { harness.server.set(path, Self.file) }
            try await all[0].cancel()
            await manager.idle()
            #expect(await Self.started(manager) == [all[0].id, all[3].id, all[2].id, all[1].id])
        }
    }

    @Test("start now goes beyond the limit, for one that waits, is paused, or has a time (U22)")
    func startNow() async throws {
        try await ManagerTrial.run(Self.stalling(4), { $0.settings.limit = 1 }) { harness in
            let all = try await harness.add([
                harness.spec("/0"), harness.spec("/1"), harness.spec("/2") { $0.startsPaused = true },
                harness.spec("/3") { $0.notBefore = Date(timeIntervalSinceNow: 3600) },
            ])
            try await all[0].until(bytes: 100_000)
            for download in all[1...] {
                try await download.startNow()
                try await download.until(bytes: 100_000)
            }
            for download in all { #expect(try await download.state == .running) }
        }
    }

    @Test("a batch ignores the limit (U22)")
    func batch() async throws {
        try await ManagerTrial.run(Self.stalling(8), { $0.settings.limit = 1 }) { harness in
            let all = try await harness.add(
                (0..<8).map { index in harness.spec("/\(index)") { $0.startsAtOnce = index > 1 } })
            for download in all where download != all[1] { try await download.until(bytes: 100_000) }
            #expect(try await all[1].state == .waiting(.turn(limit: 1)))
        }
    }

    @Test("one with a time waits for it, says so, and starts by itself (U22, P10)")
    func notBefore() async throws {
        try await ManagerTrial.run(["/0": Self.file, "/1": Self.file, "/2": Self.file]) { harness in
            let soon = Date(timeIntervalSinceNow: 0.3)
            let late = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 3600).rounded())
            let all = try await harness.add([
                harness.spec("/0") { $0.notBefore = soon }, harness.spec("/1") { $0.notBefore = late },
                harness.spec("/2"),
            ])
            #expect(try await all[1].state == .waiting(.notBefore(late)))
            _ = try await all[2].finished()
            _ = try await all[0].finished()
            let events = try await harness.manager.allEvents()
            let started = try #require(events.first { $0.download == all[0].id && $0.kind.word == "started" })
            #expect(started.time >= soon.addingTimeInterval(-0.001))
            #expect(try await all[1].state == .waiting(.notBefore(late)))
            #expect(harness.server.requests("/1").isEmpty)
        }
    }

    @Test("one whose time has come without a free slot reports that it waits for its turn")
    func timeHasCome() async throws {
        try await ManagerTrial.run(Self.stalling(2), { $0.settings.limit = 1 }) { harness in
            let manager = try harness.manager
            try await manager.add(harness.spec("/0")).until(bytes: 100_000)
            let second = try await manager.add(
                harness.spec("/1") { $0.notBefore = Date(timeIntervalSinceNow: 0.5) })
            let event = try await manager.first { $0.download == second.id && $0.kind.word == "waiting" }
            #expect(event.kind == .waiting(.turn(limit: 1), until: nil))
        }
    }

    @Test("one host may have fewer, and does not hold up another one (P10)")
    func host() async throws {
        try await ManagerTrial.run(Self.stalling(3), { $0.settings.hostLimit = 1 }) { harness in
            let other = harness.spec("/2") { $0.url = $0.url.replacing("127.0.0.1", with: "localhost") }
            let all = try await harness.add([harness.spec("/0"), harness.spec("/1"), other])
            try await all[0].until(bytes: 100_000)
            try await all[2].until(bytes: 100_000)
            #expect(try await all[1].state == .waiting(.host("127.0.0.1", limit: 1)))
            try await all[0].cancel()
            try await all[1].until(bytes: 100_000)
        }
    }

    @Test("the next one starts whatever the one before came to (T13, T24)")
    func continues() async throws {
        var files = Dictionary(uniqueKeysWithValues: (0..<6).map { ("/\($0)", Self.file) })
        (files["/1"], files["/2"], files["/3"]) = (nil, Self.stalls, Self.stalls)
        try await ManagerTrial.run(files, { $0.settings.limit = 1 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add((0..<6).map { harness.spec("/\($0)") })
            // It waits, and can be cancelled all the same.
            try await all[5].cancel()
            try await all[2].until(bytes: 100_000)
            try await all[2].pause()
            try await all[3].until(bytes: 100_000)
            try await all[3].remove()
            _ = try await all[4].finished()
            await manager.idle()
            let kinds = try await manager.snapshots().map(\.state.kind)
            #expect(kinds == [.finished, .failed, .paused, .finished, .cancelled])
            #expect(harness.server.requests("/5").isEmpty)
        }
    }

    @Test("a certificate that is not checked and a timeout are the download's own, and apply (U30, T14, T18)")
    func ownOptions() async throws {
        try await ManagerTrial.run(["/0": Self.file.script(.silence()), "/1": Self.file]) { harness in
            let silent = harness.spec("/0") { ($0.idleTimeout, $0.retries) = (.milliseconds(300), 0) }
            let all = try await harness.add([silent, harness.spec("/1") { $0.insecure = true }])
            #expect(await all[0].failure() == .timedOut)
            _ = try await all[1].finished()
            let insecure = await all[1].emitted.compactMap {
                if case .started(let facts) = $0 { facts.insecure } else { nil }
            }
            #expect(insecure == [true])
            #expect(try await all.asyncMap { try await $0.snapshot.spec.insecure } == [false, true])
        }
    }

    @Test("an error of the network keeps the bytes, and the progress that is shown (T16)")
    func brokenNetwork() async throws {
        let breaks = Self.file.script { $0.number == 1 ? .stall(after: 100_000) : .reset() }
        try await ManagerTrial.run(["/0": breaks]) { harness in
            let download = try await harness.manager.add(harness.spec("/0") { $0.idleTimeout = .milliseconds(500) })
            #expect(await download.failure() == .connectionFailed)
            let progress = try await download.snapshot.progress
            #expect(progress.fileBytes == 100_000)
            #expect(progress.totalBytes == 300_000)
            #expect(harness.names == ["0.part", "0.part.haul"])
            harness.server.set("/0", Self.file)
            try await download.retry()
            #expect(try await download.finished().sessionBytes == 200_000)
            #expect(harness.bytes("0") == Self.file.allBytes)
        }
    }

    @Test("a file that changed while it was paused is never joined to the old one (T4)")
    func changed() async throws {
        try await ManagerTrial.run(["/0": Self.stalls]) { harness in
            let download = try await harness.manager.add(harness.spec("/0"))
            try await download.until(bytes: 100_000)
            try await download.pause()
            let new = Resource.file(seed: 66, size: 300_000)
            harness.server.set("/0", new)
            try await download.resume()
            _ = try await download.finished()
            #expect(harness.bytes("0") == new.allBytes)
            #expect(await download.emitted.contains(.notice(.sourceChanged)))
        }
    }

    @Test("a new limit is reported for those that still wait, and for no others")
    func newLimit() async throws {
        try await ManagerTrial.run(Self.stalling(4), { $0.settings.limit = 1 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add((0..<4).map { harness.spec("/\($0)") })
            try await all[0].until(bytes: 100_000)
            let known = manager.lastEventNumber
            var settings = try await manager.currentSettings
            settings.limit = 2
            try await manager.update(settings)
            var reported: [DownloadID: WaitReason] = [:]
            for try await event in manager.events(since: known) {
                if case .waiting(let reason, _) = event.kind { reported[event.download] = reason }
                if reported.count == 2 { break }
            }
            #expect(reported == [all[2].id: .turn(limit: 2), all[3].id: .turn(limit: 2)])
        }
    }

    @Test("one that was seen as about to start, and does not, is reported to wait")
    func aboutToStart() async throws {
        try await ManagerTrial.run(Self.stalling(2), { $0.settings.limit = 1 }) { harness in
            let manager = try harness.manager
            let local = try #require(manager.backend as? LocalManager)
            await local.holdStarts()
            let all = try await harness.add((0..<2).map { harness.spec("/\($0)") })
            #expect(try await all[1].state == .waiting(.start))
            let known = manager.lastEventNumber
            await local.releaseStarts()
            for try await event in manager.events(since: known) where event.download == all[1].id {
                guard case .waiting(let reason, _) = event.kind else { continue }
                #expect(reason == .turn(limit: 1))
                break
            }
        }
    }

    @Test("a limit of none: nothing begins until it is raised, but what is to start at once does (U22)")
    func none() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file], { $0.settings.limit = 0 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add([harness.spec("/a"), harness.spec("/b")])
            #expect(try await all[0].state == .waiting(.turn(limit: 0)))
            try await all[1].startNow()
            _ = try await all[1].finished()
            #expect(try await all[0].state == .waiting(.turn(limit: 0)))
            var settings = try await manager.currentSettings
            settings.limit = 1
            try await manager.update(settings)
            _ = try await all[0].finished()
        }
    }
}

extension Array {
    /// Maps one after the other.
    func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var result: [Value] = []
        for element in self { result.append(try await body(element)) }
        return result
    }
}

extension LocalManager {
    /// Starts no download until `releaseStarts`.
    fileprivate func holdStarts() { startHolds += 1 }

    fileprivate func releaseStarts() {
        startHolds -= 1
        mailbox.post(.wake)
    }
}
