import Dispatch
import HaulTesting

/// Holds a thread at a place until the test lets it go on.
final class HoldPoint: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() { (arrivals, arrival) = AsyncStream.makeStream() }

    /// Says that it is here, and blocks until the gate is open.
    func reach() {
        arrival.yield()
        isOpen.wait()
        isOpen.signal()
    }

    /// Returns when a thread has reached the gate.
    func reached() async {
        for await _ in arrivals { return }
    }

    /// Lets all go on, from now on.
    func open() { isOpen.signal() }
}
