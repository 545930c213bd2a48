import Foundation
import Synchronization
import Testing

@testable import HaulCLI

@Suite(.serialized) struct SignalWatcherTests {
    @Test(arguments: [(SIGINT, StopReason.interrupt), (SIGTERM, .terminate)])
    func aSignalThatComesTwiceAtOnceIsOneStop(number: Int32, expected: StopReason) async {
        let watcher = SignalWatcher()
        let (stops, stop) = AsyncStream.makeStream(of: StopReason?.self)
        watcher.start(stop: { stop.yield($0) }, resumed: { stop.yield(nil) })
        kill(getpid(), number)
        kill(getpid(), number)
        var iterator = stops.makeAsyncIterator()
        #expect(await iterator.next() == .some(expected))
        // Signals are delivered on one queue: when SIGCONT has come, a second stop would have come before it.
        kill(getpid(), SIGCONT)
        #expect(await iterator.next() == .some(nil))
        watcher.end()
    }
}
