import HaulCore
import Testing

@testable import HaulServer

@Suite("So many at a time")
struct AsyncSemaphoreTests {
    private actor Room {
        private(set) var maximum = 0
        private(set) var all = 0
        private var now = 0

        func enter() {
            (now, all) = (now + 1, all + 1)
            maximum = max(maximum, now)
        }

        func leave() { now -= 1 }
    }

    @Test("no more than are allowed are inside at once, and all get through", arguments: [0, 1, 2, 5])
    func bounded(count: Int) async {
        let (semaphore, room) = (AsyncSemaphore(count), Room())
        await withDiscardingTaskGroup { tasks in
            for _ in 0..<200 {
                tasks.addTask {
                    await semaphore.pass {
                        await room.enter()
                        await room.leave()
                    }
                }
            }
        }
        #expect(await room.all == 200)
        #expect(await room.maximum <= max(1, count))
    }

    @Test("who fails inside makes room, too")
    func failure() async throws {
        let semaphore = AsyncSemaphore(1)
        for _ in 0..<3 {
            await #expect(throws: DownloadError.self) {
                try await semaphore.pass { throw DownloadError(.internal, "x") }
            }
        }
        #expect(await semaphore.pass { 7 } == 7)
    }
}
