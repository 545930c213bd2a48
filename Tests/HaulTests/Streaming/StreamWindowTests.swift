import Haul
import Synchronization
import Testing

@testable import HaulEngine

/// The window of a stream and who is told that there is room again.
@Suite struct StreamWindowTests {
    @Test func newsCostTheSameHoweverManyThereAre() async throws {
        let window = StreamWindow(size: 2, nil)
        let received = Mutex(Int64(0))
        window.report { offset in received.withLock { $0 = offset } }
        try window.begin(total: nil)
        let byte: [UInt8] = [7]
        var taken: Int64 = 0
        while taken < 100_000, window.write(unsafe byte.span.bytes, at: taken) == 1, await window.next() == byte {
            taken += 1
        }
        #expect(taken == 100_000)
        // What was handed out last is released by the next call only.
        #expect(received.withLock { $0 } == taken - 1)
        window.end()
        #expect(await window.next() == nil)
    }
}
