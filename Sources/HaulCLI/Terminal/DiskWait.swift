package import Dispatch
import Synchronization

/// Reports that the threads which write the files wait for a disk that does not respond.
///
/// A system call that waits for such a disk can't be cancelled, and no event comes from its thread meanwhile.
package final class DiskWait: Sendable {
    private struct State: Sendable {
        var isEnded = false
        /// The number of looks since the threads were asked; nil if they have responded.
        var looks: Int?
    }

    /// The number of looks after which a silence is reported.
    static let limit = 5

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "haul.disk")
    private let interval: DispatchTimeInterval
    private let ask: @Sendable (_ answered: @escaping @Sendable () -> Void) -> Void
    private let report: @Sendable (String) -> Void

    /// Makes a value that has not started yet.
    ///
    /// - Parameters:
    ///   - interval: The time between two looks.
    ///   - ask: Calls a function once all threads that write files have responded.
    ///   - report: Takes a sentence, on a queue of its own or on one of those threads.
    package init(
        every interval: DispatchTimeInterval = .seconds(1),
        ask: @escaping @Sendable (_ answered: @escaping @Sendable () -> Void) -> Void,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.interval, self.ask, self.report) = (interval, ask, report)
    }

    /// Starts to look.
    ///
    /// Must be called once.
    package func start() {
        look()
        next()
    }

    /// Ends the looks; nothing is reported any more.
    package func end() { state.withLock { $0.isEnded = true } }

    private func next() {
        queue.asyncAfter(deadline: .now() + interval) { [self] in
            guard !state.withLock({ $0.isEnded }) else { return }
            look()
            next()
        }
    }

    private func look() {
        let (mustAsk, isLate) = state.withLock { state in
            defer { state.looks = (state.looks ?? -1) + 1 }
            return (state.looks == nil, state.looks == Self.limit - 1)
        }
        if isLate { report("waiting for the disk, which has not responded for \(Self.limit) s") }
        if mustAsk { ask { [self] in answered() } }
    }

    private func answered() {
        let wasLate = state.withLock { state in
            defer { state.looks = nil }
            return state.looks ?? 0 >= Self.limit && !state.isEnded
        }
        if wasLate { report("the disk responds again") }
    }
}
