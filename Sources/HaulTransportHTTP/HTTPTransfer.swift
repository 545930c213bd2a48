import AsyncHTTPClient
import HTTPTypes
import HaulCore
import HaulTransport
import NIOCore
import NIOHTTP1
import Synchronization

/// A running transfer: receives events from AsyncHTTPClient or one of Haul's own connections, asks the sink, and
/// applies its verdicts.
///
///     connecting -> waiting -> receiving -> ended
///                      \-> draining --------/
///
/// Everything except `cancel`, `wake` and `init` runs on `loop`, one call at a time. `cancel` and `wake` always go
/// through the loop's queue, even when the sink itself calls them, so that no sink call ever runs inside another.
/// AsyncHTTPClient may report an error at any time, also during a pause. The phase `ended` resolves all races: the
/// first outcome counts, and all later ones are ignored.
final class HTTPTransfer: TransferHandle {
    /// The next action of a connection.
    enum Flow { case proceed, wait, stop }

    enum Phase {
        case connecting, waiting, receiving
        /// The head was rejected; this number of bytes may still be read and discarded.
        case draining(left: Int)
        case ended
    }

    struct State {
        var phase = Phase.connecting
        /// An addition to the message of a failure to connect.
        var hint: String?
        /// The proxy that the transfer uses.
        var proxy: ProxyUse?
        /// True if a client certificate is presented to a server that requests one.
        var showsCertificate = false
        /// Finds out why the server's certificate is not accepted; nil if the connection reports that itself.
        var examine: ((@escaping @Sendable (TransportError?) -> Void) -> Void)?
        /// True while that is in progress.
        ///
        /// Events in the meantime, such as the same error again, have no meaning.
        var isExamining = false
        /// The destination, and the connections of which the idle ones to it are closed if the server refuses the
        /// transfer.
        var authority: (ClientConnections, RequestTarget)?
        var task: HTTPClient.Task<Void>?
        /// The timer that ends the phase: `connecting` with a failure, `draining` normally.
        var deadline: Scheduled<Void>?
        /// True if the sink wants no bytes now.
        var isPaused = false
        var resumption: Scheduled<Void>?
        /// The number of pauses, so that the timer of an earlier pause has no effect: NIO may run a task that was
        /// cancelled in the same turn.
        var pauses = 0
        /// AsyncHTTPClient reads nothing until this promise is completed.
        var demand: EventLoopPromise<Void>?
        /// The connection, if it is one of Haul's own.
        var connection: DirectConnection?
        /// Begins the transfer again.
        var restart: (@Sendable () -> Void)?
        /// True from the end of an attempt that found no free file, or a connection that the server had closed, until
        /// the next attempt.
        ///
        /// Events in the meantime are those of the attempt that has ended.
        var isRestarting = false
        /// True if the transfer was begun again.
        var wasRestarted = false
        /// The limits on reads, and the number of this transfer's limit.
        var readLimit: (ReadLimits, UInt64)?
        /// Bytes that arrived although the sink had paused, because the connection had already been asked to read.
        var held: ByteBuffer?
    }

    /// The error for AsyncHTTPClient if its request is no longer wanted; it is reported back, and ignored.
    struct Stopped: Error {}

    let sink: any TransferSink
    let loop: any EventLoop
    let state: NIOLoopBoundBox<State>
    private let onEnd: @Sendable (HTTPTransfer) -> Void
    /// Avoids calls to the loop after the end, when it may no longer exist.
    private let isOver = Atomic<Bool>(false)

    init(sink: any TransferSink, loop: any EventLoop, onEnd: @escaping @Sendable (HTTPTransfer) -> Void) {
        self.sink = sink
        self.loop = loop
        self.onEnd = onEnd
        state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: loop)
    }

    // MARK: Start and end

    /// Ends a transfer that was started after the transport's shutdown, when the loop no longer exists.
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
        // Both may call back into this object at once; by now such calls are ignored. After a complete body the task
        // has ended, and this call has no effect: the connection is kept.
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

    /// Ends the transfer if it has no connection after the timeout.
    func awaitConnection(_ request: TransferRequest) {
        state.value.deadline = loop.scheduleTask(in: TimeAmount(request.timeToConnect)) {
            guard case .connecting = self.state.value.phase else { return }
            let error = TransportError(.connectTimedOut, "no connection within \(request.timeToConnect.inWords)")
            self.end(TransferOutcome(error, isConnected: false, proxy: self.state.value.proxy))
        }
    }

    // MARK: Events of the connection

    /// Records that the request was sent.
    func connected() {
        guard case .connecting = state.value.phase else { return }
        state.value.phase = .waiting
        state.value.deadline?.cancel()
    }

    /// Handles the head of the response.
    func receive(_ head: HTTPResponseHead) -> Flow {
        guard case .waiting = state.value.phase else { return .stop }
        guard head.approximateSize <= HTTPResponseHead.largestSize else {
            end(.failed(TransportError(.headTooLarge, "limit: 1 MiB")))
            return .stop
        }
        guard head.hasReadableTransferCoding else {
            end(.failed(TransportError(.badResponse, "unsupported Transfer-Encoding")))
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

    /// Handles some bytes of the body.
    func receive(_ buffer: ByteBuffer) -> Flow {
        switch state.value.phase {
        case .receiving: forward(buffer)
        case .draining(let left): drain(buffer, left: left)
        case .connecting, .waiting, .ended: .stop
        }
    }

    /// Handles the end of the body.
    func receivedEnd() {
        switch state.value.phase {
        case .draining: end(.rejected)
        case .connecting, .waiting, .receiving, .ended: end(.complete)
        }
    }

    /// Handles an error.
    func received(_ error: any Error) {
        guard !state.value.isExamining, !state.value.isRestarting else { return }
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
        if error is StaleConnection, restarts() { return }
        if case .failed(let failure) = outcome, failure.kind == .tooManyFiles, !isConnected,
            last.authority?.0.closeIdle() == true, restarts()
        {
            return
        }
        guard case .failed(let failure) = outcome, failure.isUnexplained, let examine = last.examine else {
            return end(outcome)
        }
        state.value.isExamining = true
        state.value.deadline?.cancel()
        examine { self.end(.failed($0 ?? failure)) }
    }

    /// Begins the transfer once more when idle connections have been closed; returns false if that was done before.
    ///
    /// They belong to several event loops, so that takes a moment.
    private func restarts() -> Bool {
        guard !state.value.wasRestarted, let restart = state.value.restart else { return false }
        (state.value.wasRestarted, state.value.isRestarting) = (true, true)
        (state.value.phase, state.value.connection) = (.connecting, nil)
        state.value.deadline?.cancel()
        loop.scheduleTask(in: .milliseconds(10)) {
            guard case .connecting = self.state.value.phase else { return }
            self.state.value.isRestarting = false
            restart()
        }
        return true
    }

    /// Closes the idle connections to a host that refuses this one, because it may count them.
    private func freePlaces() {
        guard let (connections, target) = state.value.authority else { return }
        connections.closeIdle(at: ConnectionUse.authority(target.authority))
    }
}
