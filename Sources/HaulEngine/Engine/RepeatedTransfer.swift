import HTTPTypes
import HaulTransport

/// A transfer that is repeated once over another transport if the first one can't parse the response.
///
/// The engine sees one transfer: its sink receives a response only if it could be parsed. The head of a chunked
/// response is held back until the first bytes of its body arrive, because the first chunk is what parsers differ about
/// most.
///
/// Unchecked because `work` has no lock: the transports access it in calls that never overlap, and the second transport
/// makes its first call after the last one of the first.
final class RepeatedTransfer: TransferSink, @unchecked Sendable {
    /// Starts the other transfer.
    typealias Repetition = @Sendable (any TransferSink) -> any TransferHandle

    private struct Work {
        /// The error that caused the repetition.
        var failure: TransportError?
        /// True if the sink has received a head.
        var hasHead = false
        /// A head held back from the sink.
        var head: HTTPResponse?
        /// True if the sink rejected a head that had been held back.
        var isRejected = false
    }

    private let sink: any TransferSink
    private let isReason: @Sendable (TransportError) -> Bool
    private let repetition: Repetition
    private let onUnreadable: @Sendable (_ isReadByOther: Bool) -> Void
    private let attempts = AttemptHandle()
    private var work = Work()

    /// Creates a transfer that has not been started.
    ///
    /// - Parameters:
    ///   - isReason: Returns true if an error before any byte of a body is a reason to repeat the transfer.
    ///   - onUnreadable: Called when the first transport aborted a body that it could not parse (false), and when the
    ///     second one could parse a response (true).
    init(
        _ sink: any TransferSink, if isReason: @escaping @Sendable (TransportError) -> Bool,
        onUnreadable: @escaping @Sendable (Bool) -> Void, repetition: @escaping Repetition
    ) {
        self.sink = sink
        self.isReason = isReason
        self.onUnreadable = onUnreadable
        self.repetition = repetition
    }

    /// Starts the transfer over the first transport.
    ///
    /// - Returns: The handle for cancelling and waking it.
    func start(over transport: any Transport, _ request: TransferRequest) -> any TransferHandle {
        _ = attempts.begin { transport.start(request, sink: self) }
        return attempts
    }

    // MARK: Calls from the transports

    func head(_ response: HTTPResponse) -> HeadVerdict {
        if work.failure != nil {
            onUnreadable(true)
        } else if (200..<300).contains(response.status.code), response.headerFields[.transferEncoding] != nil {
            work.head = response
            return .accept
        }
        work.hasHead = true
        return sink.head(response)
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        guard deliverHead() else { return .enough }
        return sink.body(bytes)
    }

    func woken() -> BodyVerdict { work.isRejected ? .enough : sink.woken() }

    func finished(_ outcome: TransferOutcome) {
        if case .failed(let error) = outcome, isReason(error) {
            if work.failure == nil, !work.hasHead { return startAgain(error) }
            if work.failure == nil { onUnreadable(false) }
        }
        attempts.end()
        if case .failed(let error) = outcome, let failure = work.failure, error.kind == .unusable {
            return sink.finished(.failed(failure))
        }
        sink.finished(deliverHead() ? outcome : .rejected)
    }

    /// Passes the head that was held back to the sink; returns true if the sink wants the body.
    private func deliverHead() -> Bool {
        guard let head = work.head.take() else { return !work.isRejected }
        work.hasHead = true
        work.isRejected = sink.head(head) == .reject
        return !work.isRejected
    }

    private func startAgain(_ error: TransportError) {
        work = Work(failure: error)
        guard attempts.begin({ repetition(self) }) else { return finished(.cancelled) }
    }
}
