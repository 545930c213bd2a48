import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulStore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal

@Suite("After a relaunch", .usesSockets)
struct RelaunchTests {
    static let file = Resource.file(seed: 67, size: 400_000)
    static let stalls = file.script { _ in .stall(after: 200_000) }

    @Test("the list is there in order, with every option and state (U23, T1)", arguments: [true, false])
    func list(isKilled: Bool) async throws {
        try await ManagerTrial.run(["/0": Self.file, "/1": Self.stalls, "/2": Self.stalls]) { harness in
            let manager = try harness.manager
            let sum = try Digests.sha256(Self.file.allBytes)
            let full = harness.spec("/full") { spec in
                spec.onConflict = .rename
                spec.connections = .automatic(limit: 9)
                spec.checksum = sum
                spec.headers = [.init(name: "Accept-Language", value: "de")]
                spec.resumes = false
                (spec.retries, spec.connectTimeout, spec.idleTimeout) = (17, .seconds(3), .milliseconds(4500))
                (spec.insecure, spec.allowsDowngrade) = (true, true)
                spec.range = ByteRange(5, 77)
                spec.partialFolder = harness.folder.path
                (spec.rateLimit, spec.key, spec.group, spec.tags) = (12345, "my key", "my group", ["a", "b"])
                (spec.priority, spec.startsAtOnce, spec.startsPaused) = (-7, true, true)
                spec.notBefore = Date(timeIntervalSince1970: 2_000_000_000)
            }
            let all = try await harness.add([
                harness.spec("/0"), harness.spec("/1"), harness.spec("/2"), harness.spec("/404"), full,
            ])
            _ = try await all[0].finished()
            try await all[1].until(bytes: 200_000)
            try await all[1].pause()
            try await all[2].until(bytes: 200_000)
            try await all[2].cancel()
            _ = await all[3].failure()
            try await all[4].move(to: 1)
            let before = try await manager.snapshots()
            if isKilled { await harness.kill() } else { await harness.close() }
            let after = try await harness.launch().snapshots()
            #expect(after == before)
            #expect(after[1].spec == full)
            #expect(after.map(\.state.kind) == [.finished, .paused, .paused, .cancelled, .failed])
        }
    }

    @Test(
        "what was at work goes on first, then what waited, in order; nothing is fetched twice (U7, U23, T1, T9)",
        arguments: [true, false])
    func continues(isKilled: Bool) async throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<5).map { ("/\($0)", Self.stalls) })
        try await ManagerTrial.run(files, { $0.settings.limit = 2 }) { harness in
            let ids = try await harness.add((0..<5).map { harness.spec("/\($0)") }).map(\.id)
            for id in ids[..<2] { try await harness.manager.download(id)?.until(bytes: 200_000) }
            try await harness.manager.move(ids[1], to: 4)
            if isKilled { await harness.kill() } else { await harness.close() }
            for path in files.keys { harness.server.set(path, Self.file) }
            let manager = try await harness.launch { $0.settings.limit = 1 }
            await manager.idle()
            let events = await manager.allEvents()
            #expect(
                events.filter { $0.kind.word == "started" }.map(\.download).dropFirst(2) == [
                    ids[0], ids[1], ids[2], ids[3], ids[4],
                ])
            for (index, id) in ids.enumerated() {
                guard case .finished(let facts) = try await manager.snapshot(id).state else {
                    Issue.record("\(index) is not finished")
                    continue
                }
                #expect(facts.sessionBytes == (index < 2 ? 200_000 : 400_000))
                #expect(harness.bytes("\(index)") == Self.file.allBytes)
            }
            expectOneEndPerRun(events)
        }
    }

    @Test("asked not to go on by itself, it pauses what was under way, and says why (U23)", arguments: [true, false])
    func paused(isKilled: Bool) async throws {
        try await ManagerTrial.run(["/0": Self.stalls, "/1": Self.file], { $0.settings.limit = 1 }) { harness in
            let all = try await harness.add([
                harness.spec("/0"), harness.spec("/1"), harness.spec("/1", "own") { $0.startsPaused = true },
            ])
            try await all[0].until(bytes: 200_000)
            if isKilled { await harness.kill() } else { await harness.close() }
            harness.server.set("/0", Self.file)
            let manager = try await harness.launch { $0.resumesAtLaunch = false }
            let states = try await manager.snapshots().map(\.state)
            #expect(states == [.paused(.relaunch), .paused(.relaunch), .paused(.asked)])
            await manager.idle()
            #expect(await manager.allEvents().suffix(2).map(\.kind) == [.paused(.relaunch), .paused(.relaunch)])
            #expect(try await manager.resume(.all) == 3)
            await manager.idle()
            #expect(harness.names == ["0", "1", "own"])
            guard case .finished(let facts) = try await manager.snapshot(all[0].id).state else {
                Issue.record("not finished")
                return
            }
            #expect(facts.sessionBytes == 200_000)
        }
    }

    @Test("twenty that end at the same time are all recorded right, across a kill (T2)")
    func parallelEnds() async throws {
        let files = Dictionary(
            uniqueKeysWithValues: (0..<20).map { ("/\($0)", Resource.file(seed: UInt64($0), size: 50_000 + Int64($0))) }
        )
        try await ManagerTrial.run(files, { $0.settings.limit = 20 }) { harness in
            let ids = try await harness.add((0..<20).map { harness.spec("/\($0)") }).map(\.id)
            await (try harness.manager).idle()
            await harness.kill()
            let manager = try await harness.launch()
            for (index, id) in ids.enumerated() {
                guard case .finished(let facts) = try await manager.snapshot(id).state else {
                    Issue.record("\(index) is not finished")
                    continue
                }
                #expect(facts.path == harness.path("\(index)"))
                #expect(facts.totalBytes == 50_000 + Int64(index))
                #expect(harness.bytes("\(index)") == files["/\(index)"]?.allBytes)
            }
            #expect(harness.names.count == 20)
        }
    }

    @Test(
        "path, size and inode are recorded before the file gets its final name",
        arguments: ConflictPolicy.allCases, [true, false])
    func recordedBeforeName(policy: ConflictPolicy, knowsSize: Bool) async throws {
        for size in [1000, 3_000_000] as [Int64] {
            let catalogue = Mutex<Catalogue?>(nil)
            let records = Mutex<[StoredRecord?]>([])
            let hook: SystemCalls.Hook = { call in
                switch call {
                case .rename(_, let to), .renameNoReplace(_, let to), .link(_, let to):
                    guard to.hasSuffix("/f") else { break }
                    let record = catalogue.withLock { try? $0?.record(DownloadID(rawValue: 1)) }
                    records.withLock { $0.append(record) }
                default: break
                }
                return .proceed
            }
            let file = Resource.file(seed: 69, size: size)
            let resource = knowsSize ? file : file.withoutRanges().script { _ in .chunked() }
            try await ManagerTrial.run(["/f": resource], hook: hook) { harness in
                let manager = try harness.manager
                catalogue.withLock { $0 = manager.local?.catalogue }
                let download = try await manager.add(harness.spec("/f") { $0.onConflict = policy })
                #expect(download.id == DownloadID(rawValue: 1))
                let facts = try await download.finished()
                catalogue.withLock { $0 = nil }
                let found = records.withLock { $0 }
                #expect(!found.isEmpty)
                for record in found {
                    #expect(record?.targetPath == harness.path("f") && record?.totalBytes == size)
                    #expect(record?.fileID != nil && record?.fileID?.inode == facts.file?.inode)
                }
            }
        }
    }

    /// Where a process dies.
    enum Death: CaseIterable {
        /// The file has its name, the folder is not synced yet.
        case afterName
        /// The journal stands as the last thing that is left.
        case beforeJournalGoes
        /// All is done but the record.
        case afterAll
    }

    @Test(
        "killed between the final name and its record: finished at the next launch, and not fetched again",
        arguments: Death.allCases, ConflictPolicy.allCases)
    func killedAtTheEnd(death: Death, policy: ConflictPolicy) async throws {
        for size in [1000, 3_000_000] as [Int64] {
            let gate = HoldPoint()
            let isNamed = Atomic(false)
            let isLinked = Atomic(false)
            let isPast = Atomic(false)
            let hook: SystemCalls.Hook = { call in
                guard !isPast.load(ordering: .acquiring) else { return .proceed }
                switch call {
                case .rename(_, let to), .renameNoReplace(_, let to):
                    if to.hasSuffix("/f") || to.hasSuffix("/f (1)") { isNamed.store(true, ordering: .releasing) }
                    return .proceed
                // A file that one response contained has neither a partial file nor a journal.
                case .link(_, let to) where to.hasSuffix("/f"):
                    isNamed.store(true, ordering: .releasing)
                    isLinked.store(true, ordering: .releasing)
                    return .proceed
                case .unlink(let path) where death == .beforeJournalGoes && path.hasSuffix(".haul"): break
                // A small file has no journal, so that it comes to its end at once.
                case .close(let path) where death != .afterName && path.hasSuffix(".part"): break
                default:
                    guard death == .afterName || isLinked.load(ordering: .acquiring) else { return .proceed }
                }
                guard isNamed.load(ordering: .acquiring) else { return .proceed }
                gate.reach()
                return .fail(5)
            }
            let file = Resource.file(seed: 68, size: size)
            try await ManagerTrial.run(["/f": file], hook: hook) { harness in
                if policy != .fail, policy != .skip { try harness.folder.put([1, 2, 3], "f") }
                let id = try await harness.manager.add(harness.spec("/f") { $0.onConflict = policy }).id
                await gate.reached()
                await harness.kill {
                    isPast.store(true, ordering: .releasing)
                    gate.open()
                }
                let manager = try await harness.launch()
                await manager.idle()
                let name = policy == .rename ? "f (1)" : "f"
                guard case .finished(let facts) = try await manager.snapshot(id).state else {
                    Issue.record("\(death), \(policy), \(size): \(try await manager.snapshot(id).state)")
                    return
                }
                #expect(facts.path == harness.path(name))
                #expect(facts.totalBytes == size)
                #expect(harness.bytes(name) == file.allBytes)
                #expect(harness.names == (policy == .rename ? ["f", "f (1)"] : ["f"]))
                #expect(harness.server.requests("/f").count == 1)
                expectOneEndPerRun(await manager.allEvents())
            }
        }
    }
}
