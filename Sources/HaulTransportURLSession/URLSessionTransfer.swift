import Dispatch
import Foundation
import HTTPTypes
import HaulTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A running transfer: receives the session's calls, asks the sink, and applies its verdicts.
///
///     waiting -> receiving -> ended
///        \-> draining ---------/
///
/// Unchecked because everything except `cancel` and `wake` runs on `queue`, one call at a time; these two only add
/// operations to it, so that no sink call ever runs inside another. The phase `ended` resolves all races: the first
/// outcome counts.
final class URLSessionTransfer: TransferHandle, @unchecked Sendable {
    private enum Phase {
        case waiting, receiving
        /// The head was rejected; this number of bytes may still be read and discarded.
        case draining(left: Int)
        case ended
    }

    private static let largestDrain = 64 << 10
    private static let maxDrain = DispatchTimeInterval.milliseconds(500)

    private let request: TransferRequest
    private let sink: any TransferSink
    private let queue: OperationQueue
    private let onEnd: @Sendable (URLSessionTransfer) -> Void
    private var phase = Phase.waiting
    private var lane: URLSessionLane?
    private var task: URLSessionDataTask?
    /// True if the sink wants no bytes now.
    private var isPaused = false
    /// The number of pauses, so that the timer of an earlier pause has no effect.
    private var pauses = 0
    /// Bytes that arrived although the sink had paused.
    private var held: [Data] = []
    /// The outcome, once all bytes have arrived and some are held.
    private var conclusion: TransferOutcome?

    init(
        _ request: TransferRequest, sink: any TransferSink, queue: OperationQueue,
        onEnd: @escaping @Sendable (URLSessionTransfer) -> Void
    ) {
        self.request = request
        self.sink = sink
        self.queue = queue
        self.onEnd = onEnd
    }

    /// True if any certificate is accepted.
    var isInsecure: Bool { request.insecure }

    // MARK: Start and end

    /// Sends the request.
    func begin(in lane: URLSessionLane) {
        if case .ended = phase { return }
        do throws(TransportError) {
            let task = lane.session.dataTask(with: try URLRequest(request))
            (self.lane, self.task) = (lane, task)
            lane.events.add(self, of: task)
            task.resume()
        } catch {
            end(.failed(error))
        }
    }

    func cancel() { queue.addOperation { self.end(.cancelled) } }

    func wake() { queue.addOperation { self.woken() } }

    private func end(_ outcome: TransferOutcome) {
        if case .ended = phase { return }
        phase = .ended
        held = []
        if let task {
            lane?.events.remove(task)
            // Has no effect if the task has ended.
            task.cancel()
        }
        (task, lane) = (nil, nil)
        onEnd(self)
        sink.finished(outcome)
    }

    // MARK: Calls of the session

    /// Handles the head of the response; returns true if the body is wanted.
    func receive(_ response: HTTPURLResponse) -> Bool {
        guard case .waiting = phase else { return false }
        // FoundationNetworking delivers interim responses as well (RFC 9110, section 15.2).
        guard !(100..<200).contains(response.statusCode) || response.statusCode == 101 else { return true }
        guard response.headBytes <= HTTPURLResponse.largestHead else {
            end(.failed(TransportError(.headTooLarge, "limit: 1 MiB")))
            return false
        }
        let head = HTTPResponse(response)
        switch sink.head(head) {
        case .accept:
            phase = .receiving
            return true
        case .reject:
            let length = head.headerFields[.contentLength].map { Int($0) ?? .max }
            guard head.status.code != 101, length ?? 0 <= Self.largestDrain else {
                end(.rejected)
                return false
            }
            phase = .draining(left: Self.largestDrain)
            schedule(after: Self.maxDrain) {
                if case .draining = $0.phase { $0.end(.rejected) }
            }
            return true
        }
    }

    /// Handles some bytes of the body.
    func receive(_ data: Data) {
        switch phase {
        case .receiving where isPaused || !held.isEmpty: held.append(data)
        case .receiving: forward(data)
        case .draining(let left):
            guard data.count < left else { return end(.rejected) }
            phase = .draining(left: left - data.count)
        case .waiting, .ended: return
        }
    }

    /// Handles the end of the body, or of the connection.
    func receivedEnd(_ error: (any Error)?) {
        switch phase {
        case .draining: end(.rejected)
        case .waiting where error == nil:
            end(.failed(TransportError(.badResponse, "the response is not valid HTTP")))
        case .waiting, .receiving:
            let outcome = error.map { TransferOutcome.failed(failure($0)) } ?? .complete
            guard isPaused || !held.isEmpty else { return end(outcome) }
            conclusion = outcome
        case .ended: return
        }
    }

    /// Returns the failure that an error means in this phase: a body that ends in an unknown way is incomplete.
    private func failure(_ error: any Error) -> TransportError {
        let failure = TransportError(error)
        guard case .receiving = phase, failure.kind == .other else { return failure }
        return TransportError(.cut, failure.detail)
    }

    /// Returns the credentials for an authentication method of Foundation's; nil if the request has none.
    func credentials(for method: String) -> Credentials? {
        guard let authentication = request.authentication else { return nil }
        let scheme: Authentication.Scheme? =
            switch method {
            case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodDefault: .basic
            case NSURLAuthenticationMethodHTTPDigest: .digest
            case NSURLAuthenticationMethodNTLM: .ntlm
            case NSURLAuthenticationMethodNegotiate: .negotiate
            case _: nil
            }
        return scheme.map(authentication.schemes.contains) == true ? authentication.credentials : nil
    }

    // MARK: Verdicts

    private func woken() {
        switch phase {
        case .waiting, .receiving: apply(sink.woken())
        case .draining, .ended: return
        }
        deliver()
    }

    private func forward(_ data: Data) {
        guard !data.isEmpty else { return }
        // Safe: the span is used only during the call.
        apply(unsafe data.withUnsafeBytes { sink.body(unsafe RawSpan(_unsafeBytes: $0)) })
    }

    private func apply(_ verdict: BodyVerdict) {
        switch verdict {
        case .more: resume()
        case .pause: pause()
        case .pauseFor(let duration):
            pause()
            let number = pauses
            schedule(after: .nanoseconds(Int(min(duration / .nanoseconds(1), 1e15)))) { transfer in
                guard transfer.isPaused, transfer.pauses == number else { return }
                transfer.resume()
                transfer.deliver()
            }
        case .enough: end(.enough)
        }
    }

    private func pause() {
        pauses += 1
        guard !isPaused else { return }
        isPaused = true
        // FoundationNetworking would send the request again.
        #if !canImport(FoundationNetworking)
            task?.suspend()
        #endif
    }

    private func resume() {
        guard isPaused else { return }
        isPaused = false
        #if !canImport(FoundationNetworking)
            task?.resume()
        #endif
    }

    /// Passes the held bytes to the sink until it pauses, and then the outcome if there is one.
    private func deliver() {
        while case .receiving = phase, !isPaused, !held.isEmpty { forward(held.removeFirst()) }
        guard !isPaused, held.isEmpty, let conclusion else { return }
        end(conclusion)
    }

    private func schedule(
        after delay: DispatchTimeInterval, _ action: @escaping @Sendable (URLSessionTransfer) -> Void
    ) {
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let transfer = self else { return }
            transfer.queue.addOperation { action(transfer) }
        }
    }
}
