import HTTPTypes
import HaulCore
import HaulTransport
import Synchronization

/// The receiving end of a first request whose answer may be all there is: it gathers a small file whole.
///
/// As soon as the answer turns out to be anything else it keeps what has come and holds the rest back, for an heir: the sink of a run,
/// which then hears all of it as if it had been there from the beginning. Nothing is asked for twice.
///
/// Unchecked because `work` has no lock: only the transport touches it, in calls that it makes one at a time, and once it has made the last
/// of them the run of the heir, by `wake` and `cancel`. `state.outcome` says which of the two it is.
final class ProbeResponseSink: TransferSink, @unchecked Sendable {
    /// What has come.
    private struct Work {
        var response: HTTPResponse?
        var answer: SmallFileResponse?
        var bytes: [UInt8] = []
        var successor: (any TransferSink)?
        /// Whether the heir did not want the answer.
        var isRejected = false
        /// Whether the heir knows the end.
        var isConcluded = false
    }

    private struct State {
        var successor: (any TransferSink)?
        var outcome: TransferOutcome?
    }

    /// An answer that is no file, such as an error's page, is read to its end where it is no longer: so its connection stays good.
    private static let largestRefusal = 64 << 10

    private let plan: FetchPlan
    private let configuration: MachineConfiguration
    private let onAccepted: @Sendable () -> Void
    private let state = Mutex(State())
    /// Set as soon as it is clear what the answer is: what has not come by then is an heir's.
    let settled = OneShotEvent()
    private var work = Work()

    /// Makes the sink of a request.
    ///
    /// - Parameter onAccepted: Called, on the transport's thread, when the answer brings the file.
    init(_ plan: FetchPlan, _ configuration: MachineConfiguration, onAccepted: @escaping @Sendable () -> Void) {
        self.plan = plan
        self.configuration = configuration
        self.onAccepted = onAccepted
    }

    /// The small file, where it has come whole.
    var whole: (answer: SmallFileResponse, bytes: [UInt8])? {
        guard case .complete? = state.withLock({ $0.outcome }), let answer = work.answer,
            Int64(work.bytes.count) == answer.total
        else { return nil }
        return (answer, work.bytes)
    }

    /// Gives everything to another sink, what has come and what will.
    ///
    /// Once at most; `wake` has to follow.
    func leave(to successor: any TransferSink) { state.withLock { $0.successor = successor } }
}

// MARK: - The handle of the heir

extension ProbeResponseSink {
    /// Has the heir asked what it wants; of a transfer that is over it gets here what it had no room for.
    func wake(_ handle: any TransferHandle) {
        guard let outcome = state.withLock({ $0.outcome }) else { return handle.wake() }
        guard !work.isConcluded else { return }
        conclude(verdict(), outcome)
    }

    /// Ends the transfer for the heir, too, where it is over already.
    func cancel(_ handle: any TransferHandle) {
        guard state.withLock({ $0.outcome != nil }) else { return handle.cancel() }
        _ = work.successor ?? newSuccessor()
        conclude(.enough, .cancelled)
    }

    /// The end of a transfer that is over, as soon as the heir has taken what came of it.
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

// MARK: - What the transport says

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
        // An heir that comes from now on is told by `wake`, and no more by the transport.
        let hadSuccessor = state.withLock { state in
            if state.successor == nil { state.outcome = outcome }
            return state.successor != nil
        }
        if hadSuccessor {
            // Whom it has told everything so far it tells the end, too.
            conclude(work.successor == nil ? verdict() : work.isRejected ? .enough : .more, outcome)
            state.withLock { $0.outcome = outcome }
        }
        settled.set()
    }

    /// What an heir wants, or what is wanted while there is none.
    private func verdict() -> BodyVerdict {
        if let successor = work.successor { return work.isRejected ? .enough : successor.woken() }
        if let successor = newSuccessor() { return report(successor) }
        return settled.isSet ? .pause : .more
    }

    private func newSuccessor() -> (any TransferSink)? {
        work.successor = state.withLock { $0.successor }
        return work.successor
    }

    /// Says again what has come.
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
