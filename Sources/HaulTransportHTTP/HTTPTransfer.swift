import AsyncHTTPClient
import HTTPTypes
import HaulCore
import HaulTransport
import NIOCore
import NIOHTTP1
import Synchronization

/// One running transfer: hears AsyncHTTPClient or a connection of Haul's own, asks the sink, and acts on its verdicts.
///
///     connecting -> waiting -> receiving -> ended
///                      \-> draining --------/
///
/// Everything but `cancel`, `wake` and `init` happens on `loop`, one call at a time. `cancel` and `wake` always go
/// through the loop's queue, even when the sink itself calls them, so that no sink call ever runs inside another.
/// AsyncHTTPClient may report an error at any time, also during a pause; `ended` is where all races meet: whoever comes
/// first is heard, everybody else is ignored.
final class HTTPTransfer: TransferHandle {
    /// What a connection is to do next.
    enum Flow { case proceed, wait, stop }

    enum Phase {
        case connecting, waiting, receiving
        /// The head was rejected; this many bytes may still be read away.
        case draining(left: Int)
        case ended
    }

    struct State {
        var phase = Phase.connecting
        /// What a failure to connect may have to do with.
        var hint: String?
        /// The proxy that it goes through.
        var proxy: ProxyUse?
        /// Whether a client certificate is shown to a server that asks.
        var showsCertificate = false
        /// Finds out why the server's certificate is not accepted; nil: the connection has told already.
        var examine: ((@escaping @Sendable (TransportError?) -> Void) -> Void)?
        /// Whether that is under way: what is heard meanwhile, such as the same error once more, has no meaning.
        var isExamining = false
        /// Where it is sent to, and the connections of which the idle ones to there are closed where it is refused.
        var authority: (OpenConnections, RequestTarget)?
        var task: HTTPClient.Task<Void>?
        /// Ends the phase: `connecting` as a failure, `draining` as usual.
        var deadline: Scheduled<Void>?
        /// Whether the sink wants no bytes now.
        var isPaused = false
        var resumption: Scheduled<Void>?
        /// Counts pauses, so that the timer of an earlier one does nothing: NIO may run a task that was cancelled in
        /// the same turn.
        var pauses = 0
        /// AsyncHTTPClient reads nothing more until this is completed.
        var demand: EventLoopPromise<Void>?
        /// The connection, where it is one of Haul's own.
        var connection: DirectConnection?
        /// Where the size of its reads is kept, and under which number.
        var readLimit: (ReadLimits, UInt64)?
        /// Came although the sink had paused, because the connection had already been told to read.
        var held: ByteBuffer?
    }

    /// Told to AsyncHTTPClient when its request is not wanted any more; it comes back, and is ignored.
    struct Stopped: Error {}

    let sink: any TransferSink
    let loop: any EventLoop
    let state: NIOLoopBoundBox<State>
    private let onEnd: @Sendable (HTTPTransfer) -> Void
    /// Spares the loop calls that come after the end, when it may be gone.
    private let isOver = Atomic<Bool>(false)

    init(sink: any TransferSink, loop: any EventLoop, onEnd: @escaping @Sendable (HTTPTransfer) -> Void) {
        self.sink = sink
        self.loop = loop
        self.onEnd = onEnd
        state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: loop)
    }

    // MARK: Beginning and end

    /// Says that a transfer came after the transport's shutdown, when there is no loop any more.
    func refuse() {
        isOver.store(true, ordering: .releasing)
        sink.finished(.cancelled)
    }

    /// Ends the transfer, unless it has ended.
    func end(_ outcome: TransferOutcome) {
        if case .ended = state.value.phase { return }
        isOver.store(true, ordering: .releasing)
        let last = state.value
        state.value = State(phase: .ended)
        if let (limits, number) = last.readLimit { limits.remove(number) }
        last.deadline?.cancel()
        last.resumption?.cancel()
        // Both may call back into this object at once; by now it doesn't listen. After a whole body the task has ended,
        // and this does nothing: the connection stays.
        last.task?.fail(reason: Stopped())
        last.demand?.fail(Stopped())
        last.connection?.leave(self)
        onEnd(self)
        sink.finished(outcome)
    }

    func cancel() {
        guard !isOver.load(ordering: .acquiring) else { return }
        loop.execute { self.end(.cancelled) }
    }

    func wake() {
        guard !isOver.load(ordering: .acquiring) else { return }
        loop.execute { self.woken() }
    }

    /// Ends the transfer unless it has a connection by then.
    func awaitConnection(_ request: TransferRequest) {
        let timeout = request.connectTimeout
        state.value.deadline = loop.scheduleTask(in: TimeAmount(timeout)) {
            guard case .connecting = self.state.value.phase else { return }
            let error = TransportError(.connectTimedOut, "no connection within \(timeout.inWords)")
            self.end(TransferOutcome(error, isConnected: false, proxy: self.state.value.proxy))
        }
    }

    // MARK: What the connection brings

    /// The request has gone out.
    func connected() {
        guard case .connecting = state.value.phase else { return }
        state.value.phase = .waiting
        state.value.deadline?.cancel()
    }

    /// The answer begins.
    func receive(_ head: HTTPResponseHead) -> Flow {
        guard case .waiting = state.value.phase else { return .stop }
        guard head.approximateSize <= HTTPResponseHead.largestSize else {
            end(.failed(TransportError(.headTooLarge, "limit: 1 MiB")))
            return .stop
        }
        if head.status == .tooManyRequests || head.status == .serviceUnavailable { freePlaces() }
        switch sink.head(HTTPResponse(head)) {
        case .accept:
            state.value.phase = .receiving
            return .proceed
        case .reject:
            return drain(head)
        }
    }

    /// Some bytes of its body.
    func receive(_ buffer: ByteBuffer) -> Flow {
        switch state.value.phase {
        case .receiving: forward(buffer)
        case .draining(let left): drain(buffer, left: left)
        case .connecting, .waiting, .ended: .stop
        }
    }

    /// Its end.
    func receivedEnd() {
        switch state.value.phase {
        case .draining: end(.rejected)
        case .connecting, .waiting, .receiving, .ended: end(.complete)
        }
    }

    /// What broke.
    func received(_ error: any Error) {
        guard !state.value.isExamining else { return }
        switch state.value.phase {
        case .connecting, .waiting: freePlaces()
        case .receiving, .draining, .ended: break
        }
        switch state.value.phase {
        case .draining: end(.rejected)
        case .connecting, .waiting, .receiving, .ended: fail(error)
        }
    }

    private func fail(_ error: any Error) {
        let isConnected = if case .connecting = state.value.phase { false } else { true }
        let last = state.value
        let outcome = TransferOutcome(
            error, isConnected: isConnected, hint: last.hint, proxy: last.proxy, showsCertificate: last.showsCertificate
        )
        guard case .failed(let failure) = outcome, failure.isUnexplained, let examine = last.examine else {
            return end(outcome)
        }
        state.value.isExamining = true
        state.value.deadline?.cancel()
        examine { self.end(.failed($0 ?? failure)) }
    }

    /// The host refuses this connection: the idle ones, which it may count, are given back to it.
    private func freePlaces() {
        guard let (connections, target) = state.value.authority else { return }
        connections.closeIdle(at: ConnectionUse.authority(target.authority))
    }
}
