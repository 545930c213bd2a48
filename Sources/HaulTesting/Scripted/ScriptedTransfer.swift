import Dispatch
import HTTPTypes
import HaulLibC
import HaulTransport
import Synchronization

/// A transfer of a scripted transport; everything happens on its own queue.
final class ScriptedTransfer: TransferHandle {
    private enum Phase {
        case waiting
        case sending(body: [UInt8], sent: Int)
        case ended
    }

    private struct State {
        var phase = Phase.waiting
        var isPaused = false
        /// Counts the pauses, so that the end of an earlier one has no effect.
        var pauses = 0
    }

    private static let chunk = 64 << 10

    private let queue = DispatchQueue(label: "haul.scripted")
    private let state = Mutex(State())
    private let request: TransferRequest
    private let response: ScriptedResponse
    private let sink: any TransferSink
    private let clock: TimeSource
    private let ended: @Sendable () -> Void

    init(
        _ request: TransferRequest, _ response: ScriptedResponse, _ sink: any TransferSink, _ clock: TimeSource,
        ended: @escaping @Sendable () -> Void
    ) {
        (self.request, self.response, self.sink, self.clock, self.ended) = (request, response, sink, clock, ended)
    }

    /// Sends the response at an instant.
    func begin(at instant: ContinuousClock.Instant) {
        guard response.delay > .zero else { return queue.async { self.sendHead() } }
        clock.call(at: instant, on: queue) { self.sendHead() }
    }

    func cancel() { queue.async { self.finish(.cancelled) } }

    func wake() {
        queue.async {
            guard !self.isOver else { return }
            let wasPaused = self.state.withLock { $0.isPaused }
            let verdict = self.sink.woken()
            // Without a pause, the next piece is queued already.
            if verdict != .more || wasPaused { self.obey(verdict) }
        }
    }

    /// Ends the transfer with `cancelled`, unless it has ended; returns when the sink has been called.
    func end() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.finish(.cancelled)
                continuation.resume()
            }
        }
    }

    // MARK: - On the queue

    private var isOver: Bool {
        state.withLock { if case .ended = $0.phase { true } else { false } }
    }

    private func sendHead() {
        guard !isOver else { return }
        switch response.reply(to: request.headers) {
        case .silence: break
        case .failure(let error): finish(.failed(error))
        case .response(let head, let body):
            guard sink.head(head) == .accept else { return finish(.rejected) }
            state.withLock { $0.phase = .sending(body: body, sent: 0) }
            sendMore()
        }
    }

    /// Sends the next piece.
    private func sendMore() {
        guard case .sending(let body, let sent) = state.withLock({ $0.isPaused ? .ended : $0.phase }) else { return }
        var end = min(body.count, sent + max(1, min(Self.chunk, request.largestRead?() ?? .max)))
        switch response.ending {
        case .cut(let bytes):
            end = min(end, bytes)
            if sent >= bytes { return finish(.failed(TransportError(.cut, "the connection was closed"))) }
        case .stall(let bytes):
            end = min(end, bytes)
            if sent >= bytes { return }
        case nil: break
        }
        guard sent < body.count else { return finish(.complete) }
        state.withLock { $0.phase = .sending(body: body, sent: end) }
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        let verdict = unsafe sink.body(Array(body[sent..<end]).span.bytes)
        obey(verdict)
    }

    private func obey(_ verdict: BodyVerdict) {
        switch verdict {
        case .more:
            state.withLock { $0.isPaused = false }
            // Between two pieces there is a turn for `cancel` and `wake`.
            queue.async { self.sendMore() }
        case .pause: state.withLock { $0.isPaused = true }
        case .pauseFor(let time):
            let number = state.withLock { state in
                state.isPaused = true
                state.pauses += 1
                return state.pauses
            }
            clock.call(at: clock.now + time, on: queue) {
                let goesOn = self.state.withLock { state in
                    guard state.isPaused, state.pauses == number else { return false }
                    state.isPaused = false
                    return true
                }
                if goesOn { self.sendMore() }
            }
        case .enough: finish(.enough)
        }
    }

    private func finish(_ outcome: TransferOutcome) {
        guard !isOver else { return }
        state.withLock { $0.phase = .ended }
        sink.finished(outcome)
        ended()
    }
}
