import HTTPTypes
import HaulCore
import HaulLibC
import HaulTransport
import Synchronization

/// The sink of a first request whose response may be all there is: it buffers a small file completely.
///
/// If the response turns out to be anything else, it keeps what it has received and pauses the transfer, for a successor: the sink of a
/// run, which then receives everything from the beginning. Nothing is requested twice.
///
/// Unchecked because `work` has no lock: only the transport accesses it, in calls that never overlap, and after the last of
/// them the successor's run, by `wake` and `cancel`. `state.outcome` says which of the two it is.
final class ProbeResponseSink: TransferSink, @unchecked Sendable {
    /// The response so far, and its successor.
    private struct Work {
        var response: HTTPResponse?
        var answer: SmallFileResponse?
        var bytes: [UInt8] = []
        var successor: (any TransferSink)?
        /// True if the successor rejected the response.
        var isRejected = false
        /// True if the successor knows the end.
        var isConcluded = false
    }

    private struct State {
        var successor: (any TransferSink)?
        var outcome: TransferOutcome?
    }

    /// The size up to which a response that is not the file, such as an error page, is read to its end, so that its connection can be reused.
    private static let largestRefusal = 64 << 10

    private let plan: FetchPlan
    private let configuration: MachineConfiguration
    private let onAccepted: @Sendable () -> Void
    private let state = Mutex(State())
    /// Set as soon as it is clear what the response is; data that arrives later belongs to the successor.
    let settled = OneShotEvent()
    private var work = Work()

    /// Creates the sink of a request.
    ///
    /// - Parameter onAccepted: Called, on the transport's thread, when the response contains the file.
    init(_ plan: FetchPlan, _ configuration: MachineConfiguration, onAccepted: @escaping @Sendable () -> Void) {
        self.plan = plan
        self.configuration = configuration
        self.onAccepted = onAccepted
    }

    /// The small file, if it was received completely.
    var whole: (answer: SmallFileResponse, bytes: [UInt8])? {
        guard case .complete? = state.withLock({ $0.outcome }), let answer = work.answer,
            Int64(work.bytes.count) == answer.total
        else { return nil }
        return (answer, work.bytes)
    }

    /// The head of the response, if the small file was received completely.
    var head: HTTPResponse? { whole == nil ? nil : work.response }

    /// Passes everything received so far, and everything to come, to another sink.
    ///
    /// Call it at most once, followed by `wake`.
    func leave(to successor: any TransferSink) { state.withLock { $0.successor = successor } }
}

// MARK: - The handle of the successor

extension ProbeResponseSink {
    /// Wakes the successor; if the transfer is over, delivers what the successor had no room for.
    func wake(_ handle: any TransferHandle) {
        guard let outcome = state.withLock({ $0.outcome }) else { return handle.wake() }
        guard !work.isConcluded else { return }
        conclude(verdict(), outcome)
    }

    /// Ends the transfer for the successor as well, even if it is over.
    func cancel(_ handle: any TransferHandle) {
        guard state.withLock({ $0.outcome != nil }) else { return handle.cancel() }
        _ = work.successor ?? newSuccessor()
        conclude(.enough, .cancelled)
    }

    /// Reports the end of a transfer that is over, as soon as the successor has taken its data.
    private func conclude(_ verdict: BodyVerdict, _ outcome: TransferOutcome) {
        guard let successor = work.successor, !work.isConcluded else { return }
        switch (verdict, outcome) {
        case (.pause, _), (.pauseFor, _): return
        case (_, .cancelled): successor.finished(.cancelled)
        case (.enough, _): successor.finished(work.isRejected ? .rejected : .enough)
        case (.more, _): successor.finished(outcome)
        }
        work.isConcluded = true
    }
}

// MARK: - Calls from the transport

extension ProbeResponseSink {
    func head(_ response: HTTPResponse) -> HeadVerdict {
        if let successor = work.successor ?? newSuccessor() { return successor.head(response) }
        work.response = response
        let decision = ResponseDecision.decide(plan.ask, response, url: plan.url, now: WallClock.now())
        work.answer = SmallFileResponse(decision, for: configuration)
        if let answer = work.answer {
            work.bytes.reserveCapacity(Int(answer.total))
            onAccepted()
        } else if case .take = decision {
            settled.set()
        }
        return .accept
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        if let successor = work.successor { return work.isRejected ? .enough : successor.body(bytes) }
        // The span is valid for the whole call and the array copies it.
        unsafe bytes.withUnsafeBytes { unsafe work.bytes.append(contentsOf: $0) }
        if work.bytes.count > work.answer.map({ Int($0.total) }) ?? Self.largestRefusal { settled.set() }
        return verdict()
    }

    func woken() -> BodyVerdict { verdict() }

    func finished(_ outcome: TransferOutcome) {
        // From now on, `wake` calls the successor, not the transport.
        let hadSuccessor = state.withLock { state in
            if state.successor == nil { state.outcome = outcome }
            return state.successor != nil
        }
        if hadSuccessor {
            // A successor that received everything so far receives the end, too.
            conclude(work.successor == nil ? verdict() : work.isRejected ? .enough : .more, outcome)
            state.withLock { $0.outcome = outcome }
        }
        settled.set()
    }

    /// Returns what a successor wants, or the verdict while there is none.
    private func verdict() -> BodyVerdict {
        if let successor = work.successor { return work.isRejected ? .enough : successor.woken() }
        if let successor = newSuccessor() { return report(successor) }
        return settled.isSet ? .pause : .more
    }

    private func newSuccessor() -> (any TransferSink)? {
        work.successor = state.withLock { $0.successor }
        return work.successor
    }

    /// Repeats the response and the bytes received so far.
    private func report(_ successor: any TransferSink) -> BodyVerdict {
        guard let response = work.response else { return successor.woken() }
        guard case .accept = successor.head(response) else {
            work.isRejected = true
            return .enough
        }
        let bytes = work.bytes
        work.bytes = []
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        return bytes.isEmpty ? successor.woken() : successor.body(unsafe bytes.span.bytes)
    }
}
