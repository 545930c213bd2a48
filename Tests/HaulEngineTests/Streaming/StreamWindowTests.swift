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

    @Test(
        "bytes that two responses have are compared, whichever comes first", arguments: [false, true], [false, true])
    func surplus(isFirst: Bool, differs: Bool) throws {
        let window = StreamWindow(size: 1000, nil)
        try window.begin(total: 1000)
        let (head, tail) = ([UInt8](repeating: 1, count: 400), [UInt8](repeating: 2, count: 600))
        let beyond = differs ? [UInt8](repeating: 1, count: 10) + tail : tail
        // The bytes of an array of integers are initialised, and the spans end before the arrays do.
        if isFirst { unsafe window.keepSurplus(beyond.span.bytes, at: 400) }
        #expect(unsafe window.write(tail.span.bytes, at: 400) == 600)
        if !isFirst { unsafe window.keepSurplus(beyond.span.bytes, at: 400) }
        #expect(unsafe window.write(head.span.bytes, at: 0) == 400)
        #expect(window.disagrees == differs)
    }
}
