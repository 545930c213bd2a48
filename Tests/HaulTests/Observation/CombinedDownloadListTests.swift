import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulObservation

@MainActor
@Suite("Several lists as one", .usesSockets, .timeLimit(.minutes(5)))
struct CombinedDownloadListTests {
    private static let file = Resource.file(seed: 73, size: 300_000)

    @Test("has the rows of all managers, each for itself")
    func rows() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file], { $0.settings.limit = 0 }) { trial in
            let (first, second) = (
                try trial.manager, try await DownloadManager(ManagerConfiguration(storage: .inMemory))
            )
            let list = CombinedDownloadList([DownloadList(first), DownloadList(second)])
            #expect(!list.isLoaded && list.downloads.isEmpty)
            let running = Task { try await list.run(refreshInterval: .milliseconds(1)) }
            await until { list.isLoaded }
            let a = try await first.add(trial.spec("/a"))
            let b = try await second.add(trial.spec("/b"))
            #expect(a.id == b.id && a != b)
            await until { list.downloads.count == 2 }
            #expect(list.downloads.map(\.download) == [a, b])
            #expect(list.downloads.map { $0.download.manager === second } == [false, true])
            #expect(list[a] === list.downloads[0] && list[b] === list.downloads[1])
            await until { list.summary[.finished] == 1 && list.summary[.waiting] == 1 }
            await second.close()
            try await first.remove(a.id)
            await until { list.downloads.map(\.download) == [b] }
            #expect(list[a] == nil)
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
    }

    @Test("ends when all managers are closed")
    func closed() async throws {
        let managers = [
            try await DownloadManager(ManagerConfiguration(storage: .inMemory)),
            try await DownloadManager(ManagerConfiguration(storage: .inMemory)),
        ]
        let list = CombinedDownloadList(managers.map { DownloadList($0) })
        let running = Task { try await list.run() }
        await until { list.isLoaded }
        for manager in managers { await manager.close() }
        try await running.value
    }
}
