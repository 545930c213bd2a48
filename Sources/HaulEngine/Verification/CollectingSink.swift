import HTTPTypes
import HaulTransport
import Synchronization

/// A sink that receives a small response in memory, up to a limit.
final class CollectingSink: TransferSink {
    /// The response.
    struct Answer: Sendable {
        /// The head; nil if there was none.
        var response: HTTPResponse?
        /// The body, as far as it was accepted.
        var bytes: [UInt8] = []
        /// The end of the transfer.
        var outcome: TransferOutcome?

        /// True if the body was received completely and is within the limit.
        var isWhole: Bool { outcome == .complete }
    }

    private struct State {
        var answer = Answer()
        var waiter: CheckedContinuation<Answer, Never>?
        var handle: (any TransferHandle)?
        var isCancelled = false
    }

    private let limit: Int
    private let accepts: @Sendable (HTTPResponse) -> Bool
    private let state = Mutex(State())

    /// Creates a sink that takes at most `limit` bytes of the body if the head is accepted.
    init(limit: Int, accepts: @escaping @Sendable (HTTPResponse) -> Bool) {
        self.limit = limit
        self.accepts = accepts
    }

    /// Sends a request and returns the response; cancelling the task ends it at once.
    static func send(
        _ request: TransferRequest, over transport: any Transport, limit: Int,
        accepts: @escaping @Sendable (HTTPResponse) -> Bool
    ) async -> Answer {
        let sink = CollectingSink(limit: limit, accepts: accepts)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sink.state.withLock { $0.waiter = continuation }
                sink.hold(transport.start(request, sink: sink))
            }
        } onCancel: {
            sink.cancel()
        }
    }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        state.withLock { $0.answer.response = response }
        return accepts(response) ? .accept : .reject
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        state.withLock { state in
            guard bytes.byteCount <= limit - state.answer.bytes.count else { return .enough }
            // The span is valid for the whole call and the array copies it.
            unsafe bytes.withUnsafeBytes { unsafe state.answer.bytes.append(contentsOf: $0) }
            return .more
        }
    }

    func woken() -> BodyVerdict { .more }

    func finished(_ outcome: TransferOutcome) {
        let (waiter, answer) = state.withLock { state in
            defer { state.waiter = nil }
            state.handle = nil
            state.answer.outcome = outcome
            return (state.waiter, state.answer)
        }
        waiter?.resume(returning: answer)
    }

    /// Keeps the handle, unless the transfer is over or cancelled already.
    private func hold(_ handle: any TransferHandle) {
        let isCancelled = state.withLock { state in
            if state.answer.outcome == nil { state.handle = handle }
            return state.isCancelled
        }
        if isCancelled { handle.cancel() }
    }

    private func cancel() {
        let handle = state.withLock { state in
            state.isCancelled = true
            return state.handle
        }
        handle?.cancel()
    }
}
