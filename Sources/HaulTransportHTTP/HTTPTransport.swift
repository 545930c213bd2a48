import AsyncHTTPClient
import Dispatch
import HaulLibC
package import HaulTransport
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// HTTP/1.1 and HTTPS over Haul's own connections, and over AsyncHTTPClient if a request is not a plain GET, or needs a
/// proxy, a login, a client certificate, a local address or a limit of its reads.
///
///     start -> [event loop] -> DirectConnections -> HTTPTransfer -> sink
///                              AsyncHTTPClient
///
/// Each transfer is bound to one event loop: its connection, its timers and all calls of its sink. Connections are kept
/// for 30 s after a complete body, and reused by requests with the same host, port, `insecure`, proxy, client
/// certificate, local address and (rounded up) connect timeout, while there are not too many idle ones. If a host
/// refuses a connection (429, 503, or it breaks before a response), the idle ones to it are closed, because the host
/// may count them.
///
/// It supports HTTP proxies with and without a password, and SOCKS 5 without: see `serves`.
///
/// Limits of a response head: 256 fields, 80 KiB per field, 1 MiB in all; beyond, the transfer fails with
/// `badResponse`. Bytes of header values that are not UTF-8 are decoded by `HeadRepair`. Connect timeouts are limited
/// to 120 s. If the connection breaks during a pause, bytes that were received and not yet passed to the sink are lost.
/// That never leaves a gap, but up to the content of the kernel's receive buffer is transferred a second time.
package final class HTTPTransport: Transport {
    /// An event loop with a thread of its own, and its connections.
    fileprivate struct LoopResources {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop
        let clients: HTTPClients
        let direct: DirectConnections
        let executor: EventLoopExecutor
    }

    fileprivate struct State {
        var isDown = false
        var running: [ObjectIdentifier: HTTPTransfer] = [:]
        /// The event loops that were needed so far.
        var loops: [LoopResources] = []
        /// The number of transfers of each event loop, also of those to come.
        var load: [Int]
        /// True if a connection may have TLS, which ends with an alert (RFC 8446, section 6.1).
        var needsFarewell = false
        /// The event loop that was lent last.
        var turn = -1
    }

    private let makeLoop: @Sendable () -> LoopResources
    private let logger: Logger
    private let usesDirectConnections: Bool
    private let endsWithProcess: Bool
    private let state: Mutex<State>

    /// Creates a transport.
    ///
    /// A thread is started when it is needed: most runs need only the first. TLS is not initialised before the first https
    /// request.
    ///
    /// - Throws: `HTTPTransportError` if `caCertificatePath` does not name a file of certificates (a bundle of 64 KiB or
    ///   more is not read yet), or if the process may not open enough files.
    package init(_ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()) throws(HTTPTransportError)
    {
        let trustRoots = try TrustRoots(caCertificatePath: configuration.caCertificatePath)
        let needed = configuration.eventLoops * FreeFiles.perEventLoop + FreeFiles.spare
        guard FreeFiles.suffice(for: needed) else { throw .tooFewFiles(needed: needed) }
        let connections = ClientConnections(maxIdle: configuration.maxIdleConnections)
        let lookups = configuration.sharesLookups ? SharedLookups() : nil
        makeLoop = {
            LoopResources(configuration, trustRoots: trustRoots, connections: connections, lookups: lookups)
        }
        logger = configuration.logger
        usesDirectConnections = configuration.usesDirectConnections
        endsWithProcess = configuration.endsWithProcess
        state = Mutex(State(load: Array(repeating: 0, count: configuration.eventLoops)))
    }

    /// Returns the event loop that it is called on, or else the next in turn.
    package func eventLoopExecutor() -> (any TaskExecutor)? {
        state.withLock { state in
            if let index = state.currentLoop { return state.loops[index].executor }
            state.turn = (state.turn + 1) % state.load.count
            return state.loops[loop(state.turn, &state)].executor
        }
    }

    /// Returns an event loop, which is started if it is a new one; the first one if the process may not open more files.
    private func loop(_ index: Int, _ state: inout State) -> Int {
        if state.loops.indices.contains(index) { return index }
        let needed = FreeFiles.perEventLoop + FreeFiles.spare
        guard state.loops.isEmpty || FreeFiles.suffice(for: needed) else { return 0 }
        state.loops.append(makeLoop())
        return state.loops.count - 1
    }

    /// Starts a transfer on the event loop with the fewest transfers, or on the current one.
    package func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        let isDirect = usesDirectConnections && request.isPlain
        return state.withLock { state in
            let own = request.staysOnEventLoop ? state.currentLoop : nil
            // The first of the least loaded, so that consecutive requests find the connection of the previous one.
            let index = own ?? loop(state.load.indices.min { state.load[$0] < state.load[$1] } ?? 0, &state)
            let resources = state.loops[index]
            let transfer = HTTPTransfer(sink: sink, loop: resources.loop) { [weak self] in self?.ended($0, on: index) }
            guard !state.isDown else {
                DispatchQueue.global().async { transfer.refuse() }
                return transfer
            }
            state.load[index] += 1
            if !isDirect || !request.isUnencrypted { state.needsFarewell = true }
            state.running[ObjectIdentifier(transfer)] = transfer
            // Inside the lock, so that `shutdown` cannot stop the loop in between.
            resources.loop.execute {
                guard isDirect else {
                    return transfer.begin(request, clients: resources.clients, direct: resources.direct)
                }
                transfer.begin(request, direct: resources.direct, else: resources.clients)
            }
            return transfer
        }
    }

    /// Ends every transfer with `.cancelled`, closes every connection, and joins the threads.
    ///
    /// Takes at most about 200 ms longer than the sinks do. If the process ends then, and nothing is left to be said on a
    /// connection, it does nothing.
    package func shutdown() async {
        let left: (running: [HTTPTransfer], loops: [LoopResources])? = state.withLock { state in
            guard !state.isDown else { return nil }
            state.isDown = true
            if endsWithProcess, state.running.isEmpty, !state.needsFarewell { return nil }
            return (Array(state.running.values), state.loops)
        }
        guard let (running, loops) = left else { return }
        for transfer in running { transfer.cancel() }
        // Runs the work that the transfers left on their loops.
        for resources in loops { try? await resources.loop.submit {}.get() }
        await closeConnections(of: loops)
        // Closes at once the connections that were still being established.
        for resources in loops { try? await resources.group.shutdownGracefully() }
        logger.debug("HTTP transport shut down", metadata: ["cancelled": "\(running.count)"])
    }

    /// Calls a function once every thread has responded, one after the other; a thread that a sink blocks does not.
    package func onceAllRespond(_ answer: @escaping @Sendable () -> Void) { ask(0, answer) }

    private func ask(_ index: Int, _ answer: @escaping @Sendable () -> Void) {
        let isAsked = state.withLock { state in
            guard !state.isDown, state.loops.indices.contains(index) else { return false }
            // Inside the lock, so that `shutdown` cannot stop the loop in between.
            state.loops[index].loop.execute { self.ask(index + 1, answer) }
            return true
        }
        if !isAsked { answer() }
    }

    private func closeConnections(of loops: [LoopResources]) async {
        let (closed, continuation) = AsyncStream<Void>.makeStream()
        var count = loops.reduce(0) { $0 + $1.clients.shutdown { continuation.yield() } }
        for resources in loops {
            let connecting = resources.loop.submit { resources.direct.shutdown { continuation.yield() } }
            count += (try? await connecting.get()) ?? 0
        }
        await within(.milliseconds(200)) { [count] in
            var left = count
            var iterator = closed.makeAsyncIterator()
            while left > 0, await iterator.next() != nil { left -= 1 }
        }
    }

    private func ended(_ transfer: HTTPTransfer, on index: Int) {
        state.withLock { state in
            guard state.running.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
            state.load[index] -= 1
        }
    }
}

extension HTTPTransport.LoopResources {
    /// Starts an event loop.
    fileprivate init(
        _ configuration: HTTPTransportConfiguration, trustRoots: TrustRoots, connections: ClientConnections,
        lookups: SharedLookups?
    ) {
        loop = group.next()
        clients = HTTPClients(
            loop: loop, configuration: configuration, trustRoots: trustRoots, connections: connections)
        direct = DirectConnections(
            loop: loop, trustRoots: trustRoots, receiveBufferBytes: configuration.receiveBufferBytes,
            connections: connections, lookups: lookups)
        executor = EventLoopExecutor(loop)
    }
}

extension HTTPTransport.State {
    /// The event loop that the caller runs on; nil if it runs on none of these.
    fileprivate var currentLoop: Int? { loops.firstIndex { $0.loop.inEventLoop } }
}

/// Runs tasks on an event loop.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A job is run exactly once, and this closure is.
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
