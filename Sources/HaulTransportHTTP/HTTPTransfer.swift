import AsyncHTTPClient
import HTTPTypes
import HaulTransport
import NIOCore
import NIOHTTP1
import Synchronization

/// One running transfer: hears AsyncHTTPClient, asks the sink, and acts on its verdicts.
///
///     connecting -> waiting -> receiving -> ended
///                      \-> draining --------/
///
/// Everything but `cancel`, `poke` and `init` happens on `loop`, one call at a time. `cancel` and `poke` always go
/// through the loop's queue, even when the sink itself calls them, so that no sink call ever runs inside another.
/// AsyncHTTPClient may report an error at any time, also during a pause; `ended` is where all races meet: whoever comes
/// first is heard, everybody else is ignored.
final class HTTPTransfer: HTTPClientResponseDelegate, TransferHandle {
    typealias Response = Void

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
        /// The host, and the connections of which the idle ones to it are closed where it refuses this one.
        var place: (OpenConnections, String)?
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
        /// Where the size of its reads is kept, and under which number.
        var readLimit: (ReadLimits, UInt64)?
        /// Came although the sink had paused, because AsyncHTTPClient had already been told to read.
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

    /// Sends the request, once, on the loop.
    func begin(_ request: TransferRequest, clients: HTTPClients) {
        if case .ended = state.value.phase { return }
        let message: HTTPClient.Request
        let client: HTTPClient
        let limit = request.largestRead.map { (clients.readLimits, clients.readLimits.add($0)) }
        state.value.readLimit = limit
        do {
            let target = try RequestTarget(request.url)
            state.value.place = (clients.connections, ConnectionUse.place(target.authority))
            let route = try Route(request, to: target)
            message = try HTTPClient.Request(request, to: target, by: route, readLimit: limit?.1, clients.blankRequest)
            client = try clients.client(for: request, by: route)
            if route != .direct { state.value.hint = "on the way through the proxy" }
            if request.localAddress != nil { state.value.hint = "from the local address asked for" }
        } catch {
            return end(.failed(TransportError(error)))
        }
        let timeout = TimeAmount(request.connectTimeout)
        state.value.deadline = loop.scheduleTask(in: timeout) { self.connectTimedOut(request.connectTimeout) }
        let task = client.execute(request: message, delegate: self)
        if case .ended = state.value.phase { return }
        state.value.task = task
        // A client that is shut down tells the future alone.
        task.futureResult.whenFailure { self.didReceiveError(task: task, $0) }
    }

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
        onEnd(self)
        sink.finished(outcome)
    }

    func cancel() {
        guard !isOver.load(ordering: .acquiring) else { return }
        loop.execute { self.end(.cancelled) }
    }

    func poke() {
        guard !isOver.load(ordering: .acquiring) else { return }
        loop.execute { self.poked() }
    }

    private func connectTimedOut(_ timeout: Duration) {
        guard case .connecting = state.value.phase else { return }
        end(.failed(TransportError(.connectTimedOut, "no connection within \(timeout)")))
    }

    // MARK: What AsyncHTTPClient says

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        guard case .connecting = state.value.phase else { return }
        state.value.phase = .waiting
        state.value.deadline?.cancel()
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        guard case .waiting = state.value.phase else { return stopped }
        guard head.approximateSize <= HTTPResponseHead.largestSize else {
            end(.failed(TransportError(.badResponse, "the answer's head is larger than 1 MiB")))
            return stopped
        }
        if head.status == .tooManyRequests || head.status == .serviceUnavailable { freePlaces() }
        switch sink.head(HTTPResponse(head)) {
        case .accept:
            state.value.phase = .receiving
            return loop.makeSucceededVoidFuture()
        case .reject:
            return drain(head)
        }
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        switch state.value.phase {
        case .receiving: receive(buffer)
        case .draining(let left): drain(buffer, left: left)
        case .connecting, .waiting, .ended: stopped
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        switch state.value.phase {
        case .draining: end(.rejected)
        case .connecting, .waiting, .receiving, .ended: end(.complete)
        }
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        switch state.value.phase {
        case .connecting, .waiting: freePlaces()
        case .receiving, .draining, .ended: break
        }
        switch state.value.phase {
        case .draining: end(.rejected)
        case .connecting: end(TransferOutcome(error, isConnected: false, hint: state.value.hint))
        case .waiting, .receiving, .ended: end(TransferOutcome(error, isConnected: true))
        }
    }

    /// The host refuses this connection: the idle ones, which it may count, are given back to it.
    private func freePlaces() {
        guard let (connections, place) = state.value.place else { return }
        connections.closeIdle(at: place)
    }

    /// Has AsyncHTTPClient close the connection, or forget the request.
    var stopped: EventLoopFuture<Void> {
        loop.makeFailedFuture(Stopped())
    }
}
