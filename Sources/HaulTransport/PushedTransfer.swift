import Dispatch
package import HTTPTypes
package import HaulLibC
import Synchronization

/// A transfer of a response that exists already, such as a file or a script; everything happens on its own queue.
///
/// It applies the verdicts of the sink: pauses, their ends, and cancellation.
package final class PushedTransfer: TransferHandle {
    /// The start of a response.
    package enum Start: Sendable {
        case head(HTTPResponse)
        case end(TransferOutcome)
        /// Nothing, until the transfer is cancelled.
        case silence
    }

    /// The next piece of a body.
    package enum Piece: Sendable {
        case bytes([UInt8])
        case end(TransferOutcome)
        /// Nothing, until the transfer is cancelled.
        case silence
    }

    private enum Phase {
        case waiting, sending, paused, ended
    }

    private struct State {
        var phase = Phase.waiting
        /// Counts the pauses, so that the end of an earlier one has no effect.
        var pauses = 0
    }

    private let queue = DispatchQueue(label: "haul.pushed")
    private let state = Mutex(State())
    private let sink: any TransferSink
    private let clock: TimeSource
    private let largestRead: (@Sendable () -> Int)?
    private let chunk: Int
    private let start: @Sendable () -> Start
    private let next: @Sendable (Int) -> Piece
    private let ended: @Sendable () -> Void

    /// Creates a transfer; `begin` starts it.
    ///
    /// - Parameters:
    ///   - chunk: The maximum number of bytes in a piece.
    ///   - start: Returns the start of the response; called once, on the queue.
    ///   - next: Returns a piece of at most the given number of bytes; called on the queue.
    ///   - ended: Called after the end was passed to the sink.
    package init(
        _ request: TransferRequest, _ sink: any TransferSink, chunk: Int, _ clock: TimeSource = .system,
        start: @escaping @Sendable () -> Start, next: @escaping @Sendable (Int) -> Piece,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        (self.sink, self.clock, largestRead, self.chunk) = (sink, clock, request.largestRead, chunk)
        (self.start, self.next, self.ended) = (start, next, ended)
    }

    /// Sends the response, at once or at an instant.
    package func begin(at instant: ContinuousClock.Instant? = nil) {
        guard let instant else { return queue.async { self.sendHead() } }
        clock.call(at: instant, on: queue) { self.sendHead() }
    }

    package func cancel() { queue.async { self.finish(.cancelled) } }

    package func wake() {
        queue.async {
            let phase = self.phase
            guard phase != .ended else { return }
            let verdict = self.sink.woken()
            // Before the head there is nothing to pause, and without a pause the next piece is queued already.
            if verdict == .enough || phase == .paused || phase == .sending && verdict != .more { self.obey(verdict) }
        }
    }

    /// Ends the transfer with `cancelled`, unless it has ended; returns when the sink has been called.
    package func end() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.finish(.cancelled)
                continuation.resume()
            }
        }
    }

    // MARK: - On the queue

    private var phase: Phase { state.withLock { $0.phase } }

    private func sendHead() {
        guard phase == .waiting else { return }
        switch start() {
        case .silence: break
        case .end(let outcome): finish(outcome)
        case .head(let head):
            guard sink.head(head) == .accept else { return finish(.rejected) }
            state.withLock { $0.phase = .sending }
            sendMore()
        }
    }

    private func sendMore() {
        guard phase == .sending else { return }
        switch next(max(1, min(chunk, largestRead?() ?? .max))) {
        case .silence: break
        case .end(let outcome): finish(outcome)
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        case .bytes(let bytes): obey(unsafe sink.body(bytes.span.bytes))
        }
    }

    private func obey(_ verdict: BodyVerdict) {
        switch verdict {
        case .more:
            state.withLock { $0.phase = .sending }
            // Between two pieces there is a turn for `cancel` and `wake`.
            queue.async { self.sendMore() }
        case .pause: pause()
        case .pauseFor(let time):
            let number = pause()
            clock.call(at: clock.now + time, on: queue) {
                let isOver = self.state.withLock { state in
                    guard state.phase == .paused, state.pauses == number else { return false }
                    state.phase = .sending
                    return true
                }
                if isOver { self.sendMore() }
            }
        case .enough: finish(.enough)
        }
    }

    /// Pauses, and returns the number of the pause.
    @discardableResult
    private func pause() -> Int {
        state.withLock { state in
            state.phase = .paused
            state.pauses += 1
            return state.pauses
        }
    }

    private func finish(_ outcome: TransferOutcome) {
        let isFirst = state.withLock { state in
            defer { state.phase = .ended }
            return state.phase != .ended
        }
        guard isFirst else { return }
        sink.finished(outcome)
        ended()
    }
}
