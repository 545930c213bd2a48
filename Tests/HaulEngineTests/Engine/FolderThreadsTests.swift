import Dispatch
import HaulTesting
import Synchronization
import Testing

@testable import HaulEngine

@Suite("Threads for the folders of commands")
struct FolderThreadsTests {
    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    @Test("a disk that does not respond has four threads; further work waits for them, and other disks do not")
    func hangs() async {
        let table = "1 1 8:1 / / rw - ext4 a rw\n2 1 8:2 / /hung rw - fuse b rw\n"
        let threads = FolderThreads(mounts: MountCache { table })
        let gate = DispatchSemaphore(value: 0)
        let begun = Counter()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await threads.run(at: "/hung/\(number)") {
                        begun.value.add(1, ordering: .relaxed)
                        arrived.yield()
                        gate.wait()
                        return number
                    }
                }
            }
            var iterator = arrivals.makeAsyncIterator()
            for _ in 0..<FolderThreads.most { await iterator.next() }
            for number in 0..<5 { #expect(await threads.run(at: "/other") { number } == number) }
            #expect(begun.value.load(ordering: .relaxed) == FolderThreads.most)
            for _ in 0..<20 { gate.signal() }
            #expect(await group.reduce(0, +) == 190)
        }
        #expect(begun.value.load(ordering: .relaxed) == 20)
        #expect(await threads.run(at: "/hung") { 1 } == 1)
    }
}
