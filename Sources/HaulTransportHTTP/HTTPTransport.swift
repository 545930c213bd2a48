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
/// certificate, local address and (rounded up) connect timeout. If a host refuses a connection (429, 503, or it breaks
/// before a response), the idle ones to it are closed, because the host may count them.
///
/// It supports HTTP proxies with and without a password, and SOCKS 5 without: see `serves`.
///
/// Limits of a response head: 256 fields, 80 KiB per field, 1 MiB in all; beyond, the transfer fails with
/// `badResponse`. Bytes of header values that are not UTF-8 are decoded by `HeadRepair`. Connect timeouts are limited
/// to 120 s. If the connection breaks during a pause, bytes that were received and not yet passed to the sink are lost.
/// That never leaves a gap, but up to the content of the kernel's receive buffer is transferred a second time.
package final class HTTPTransport: Transport {
    /// An event loop and its connections.
    private struct LoopResources {
        let loop: any EventLoop
        let clients: HTTPClients
        let direct: DirectConnections
        let executor: EventLoopExecutor
    }

    private struct State {
        var isDown = false
        var running: [ObjectIdentifier: HTTPTransfer] = [:]
        var load: [Int]
        /// True if a connection may have TLS, which ends with an alert (RFC 8446, section 6.1).
        var needsFarewell = false
        /// The event loop that is lent next.
        var turn = 0
    }

    private let group: MultiThreadedEventLoopGroup
    private let loops: [LoopResources]
    private let logger: Logger
    private let usesDirectConnections: Bool
    private let endsWithProcess: Bool
    private let state: Mutex<State>

    /// Creates a transport and starts its threads.
    ///
    /// TLS is not initialised before the first https request.
    ///
    /// - Throws: `HTTPTransportError` if `caCertificatePath` does not name a file of certificates (a bundle of 64 KiB or
    ///   more is not read yet), or if the process may not open enough files.
    package init(_ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()) throws(HTTPTransportError)
    {
        let trustRoots = try TrustRoots(caCertificatePath: configuration.caCertificatePath)
        let needed = configuration.eventLoops * FreeFiles.perEventLoop + FreeFiles.spare
        guard FreeFiles.suffice(for: needed) else { throw .tooFewFiles(needed: needed) }
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.eventLoops)
        let connections = ClientConnections()
        let lookups = configuration.sharesLookups ? SharedLookups() : nil
        loops = group.makeIterator().map { loop in
            LoopResources(
                loop: loop,
                clients: HTTPClients(
                    loop: loop, configuration: configuration, trustRoots: trustRoots, connections: connections),
                direct: DirectConnections(
                    loop: loop, trustRoots: trustRoots, receiveBufferBytes: configuration.receiveBufferBytes,
                    connections: connections, lookups: lookups),
                executor: EventLoopExecutor(loop))
        }
        logger = configuration.logger
        usesDirectConnections = configuration.usesDirectConnections
        endsWithProcess = configuration.endsWithProcess
        state = Mutex(State(load: Array(repeating: 0, count: loops.count)))
    }

    /// Returns the event loop that it is called on, or else the next in turn.
    package func eventLoopExecutor() -> (any TaskExecutor)? {
        if let index = currentLoop { return loops[index].executor }
        let index = state.withLock { state in
            state.turn = (state.turn + 1) % loops.count
            return state.turn
        }
        return loops[index].executor
    }

    private var currentLoop: Int? { loops.firstIndex { $0.loop.inEventLoop } }

    /// Starts a transfer on the event loop with the fewest transfers, or on the current one.
    package func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        let own = request.staysOnEventLoop ? currentLoop : nil
        let isDirect = usesDirectConnections && request.isPlain
        return state.withLock { state in
            // The first of the least loaded, so that consecutive requests find the connection of the previous one.
            let index = own ?? state.load.indices.min { state.load[$0] < state.load[$1] } ?? 0
            let resources = loops[index]
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
        let running: [HTTPTransfer]? = state.withLock { state in
            guard !state.isDown else { return nil }
            state.isDown = true
            if endsWithProcess, state.running.isEmpty, !state.needsFarewell { return nil }
            return Array(state.running.values)
        }
        guard let running else { return }
        for transfer in running { transfer.cancel() }
        // Runs the work that the transfers left on their loops.
        for resources in loops { try? await resources.loop.submit {}.get() }
        await closeConnections()
        // Closes at once the connections that were still being established.
        try? await group.shutdownGracefully()
        logger.debug("HTTP transport shut down", metadata: ["cancelled": "\(running.count)"])
    }

    private func closeConnections() async {
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
