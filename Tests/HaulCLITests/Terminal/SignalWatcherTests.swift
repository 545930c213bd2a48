import Foundation
import Synchronization
import Testing

@testable import HaulCLI

@Suite(.serialized) struct SignalWatcherTests {
    /// Signals go to the process, where other tests have programs of their own watch the usual two.
    @Test(arguments: [(SIGUSR1, StopReason.interrupt), (SIGUSR2, .terminate)])
    func aSignalThatComesTwiceAtOnceIsOneStop(number: Int32, expected: StopReason) async {
        // However slow the machine: the second one never counts here, since it would end the tests.
        let watcher = SignalWatcher(pause: .seconds(3600), interrupt: SIGUSR1, terminate: SIGUSR2)
        let (stops, stop) = AsyncStream.makeStream(of: StopReason?.self)
        let (registrations, registered) = AsyncStream.makeStream(of: Void.self)
        watcher.start(stop: { stop.yield($0) }, resumed: { stop.yield(nil) }, watching: { registered.yield() })
        var watching = registrations.makeAsyncIterator()
        for _ in 0..<3 { _ = await watching.next() }
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
