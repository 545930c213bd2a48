import Foundation
import Haul
import HaulCore
import HaulTesting
import Testing

/// The good end: the server is right again, and everything is wanted.
extension ModelWorld {
    func settle() async throws {
        await land()
        for slot in 0..<ModelStep.slots { site.heal(slot) }
        trial.server.throttle(nil)
        let manager = try manager
        try await manager.update(ManagerSettings())
        for slot in 0..<ModelStep.slots { try await add(slot) }
        for round in 0..<6 {
            try await expectIdle()
            try await expectRightCounts()
            let open = try await manager.snapshots().filter { $0.state.kind != .finished }
            if open.isEmpty { break }
            for snapshot in open { try await help(snapshot, round) }
        }
        try await expectAllFinished()
    }

    /// Waits until nothing is left to do.
    private func expectIdle() async throws {
        let manager = try manager
        try await withinMinute("it never comes to rest") { await manager.idle() }
    }

    /// Waits for something that takes a second or two, however slow the machine is: a minute is a hang.
    func withinMinute(_ hang: String, _ body: @escaping @Sendable () async -> Void) async throws {
        let isDone = await withTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                await body()
                return !Task.isCancelled
            }
            tasks.addTask {
                try? await Task.sleep(for: .seconds(60))
                return false
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? false
        }
        guard !isDone else { return }
        let states = try await manager.snapshots().map(\.state)
        throw DownloadError(.internal, "\(hang): \(states); \(name)")
    }

    /// Has a download that is not finished go on.
    private func help(_ snapshot: DownloadSnapshot, _ round: Int) async throws {
        let manager = try manager
        switch snapshot.state {
        case .paused: try await manager.resume(snapshot.id)
        case .cancelled: try await manager.retry(snapshot.id)
        case .waiting(.linkExpired):
            try await manager.replaceSource(snapshot.id, url: spec(try slot(of: snapshot))(.original))
        case .failed(let error):
            // What a removed download left there is the caller's, and the caller says what becomes of it.
            if error.code == .destinationExists {
                try FileManager.default.removeItem(atPath: trial.path("f\(try slot(of: snapshot))"))
            }
            try await manager.retry(snapshot.id, fromStart: error.code == .sourceChanged)
        case .waiting, .running, .finished:
            Issue.record("nothing is left to do, and still: \(snapshot.state); \(name)")
        }
        if round > 3 { print(name, "round \(round):", snapshot.state) }
    }

    private func slot(of snapshot: DownloadSnapshot) throws -> Int {
        try #require(ids.first { $0.value == snapshot.id }?.key, name)
    }

    private func expectAllFinished() async throws {
        let manager = try manager
        let snapshots = try await manager.snapshots()
        #expect(snapshots.count == ModelStep.slots, name)
        for snapshot in snapshots {
            guard case .finished(let facts) = snapshot.state else {
                Issue.record("it can't be finished: \(snapshot.state); \(name)")
                continue
            }
            #expect(facts.totalBytes == snapshot.progress.fileBytes, name)
        }
        let log = await manager.allEvents()
        // No partial, no journal; except those said to be another download's, which was removed without its files.
        let foreign = Set(log.filter(\.kind.leavesPartial).map(\.download))
        let left = ids.filter { foreign.contains($0.value) }.keys.flatMap { ["f\($0).part", "f\($0).part.haul"] }
        // One that a kill has torn is kept to be looked at, until its download is removed.
        let others = { [trial] in trial.names.filter { !$0.hasSuffix(".part.bad") && !left.contains($0) } }
        #expect(others() == (0..<ModelStep.slots).map { "f\($0)" }, name)
        expectRightFiles()
        #expect(log.map(\.number) == Array(1...manager.lastEventNumber), name)
        try await manager.remove(.all, files: .all)
        #expect(others() == [], name)
        try await expectRightCounts()
    }
}

extension DownloadEvent.Kind {
    /// Whether it says that the partial file of another download is left where it is.
    fileprivate var leavesPartial: Bool {
        if case .notice(.partialQuarantined) = self { true } else { false }
    }
}
