import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("The notifier of a manager", .usesSockets, .timeLimit(.minutes(10)))
struct ManagerNotifierTests {
    /// Keeps what it should have shown, and says when it has enough.
    private final class Board: DownloadNotifier {
        private let notes = Mutex<[DownloadNotification]>([])
        private let emitted: AsyncStream<Void>
        private let emit: AsyncStream<Void>.Continuation

        init() { (emitted, emit) = AsyncStream.makeStream() }

        func notify(_ notification: DownloadNotification) async {
            notes.withLock { $0.append(notification) }
            emit.yield()
        }

        func first(_ count: Int) async -> [DownloadNotification] {
            for await _ in emitted where notes.withLock({ $0.count }) >= count { break }
            return notes.withLock(\.self)
        }
    }

    @Test("it hears of each success and each failure, once, and of nothing else (U25)")
    func ends() async throws {
        let board = Board()
        let resources = ["/a": Resource.file(seed: 82, size: 1000), "/b": Resource.file(seed: 83, size: 1000)]
        try await ManagerTrial.run(resources, { $0.notifier = board }) { harness in
            let manager = try harness.manager
            let all = try await harness.add([harness.spec("/a"), harness.spec("/missing"), harness.spec("/b")])
            _ = try await all[0].finished()
            #expect(await all[1].failure() == .notFound)
            _ = try await all[2].finished()
            await manager.idle()
            let notes = await board.first(3)
            #expect(notes.count == 3)
            #expect(Set(notes.map(\.download)) == Set(all.map(\.id)))
        }
    }
}
