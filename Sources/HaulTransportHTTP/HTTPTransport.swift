import AsyncHTTPClient
import Dispatch
package import HaulTransport
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// HTTP/1.1 and HTTPS over AsyncHTTPClient, and over connections of Haul's own where a small file is expected straight from its origin.
///
///     start -> [event loop] -> AsyncHTTPClient   -> HTTPTransfer -> sink
///                              DirectConnections
///
/// Each transfer lives on one event loop: its connection, its timers and all calls of its sink. Connections are kept
/// for 30 s after a body that ended whole, and used again by requests with the same host, port, `insecure`, proxy, client
/// certificate, local address and (rounded up) connect timeout. Where a host refuses a connection (429, 503, or it breaks before an
/// answer), the idle ones to it are closed: it may count them.
///
/// Of proxies it can do HTTP ones with and without a password, and SOCKS 5 without: see `serves`.
///
/// Limits of an answer's head: 256 fields, 80 KiB a field, 1 MiB in all; beyond, the transfer fails with `badResponse`.
/// Bytes of header values that are not UTF-8 arrive as `HeadRepair` reads them. Connect timeouts end at 120 s. When the connection breaks
/// during a pause, bytes that were received and not yet given to the sink are lost: never a gap, but up to what the
/// kernel's receive buffer holds comes a second time.
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
        /// The lane that is lent next.
        var turn = 0
    }

    private let group: MultiThreadedEventLoopGroup
    private let loops: [LoopResources]
    private let logger: Logger
    private let speaksItself: Bool
    private let state: Mutex<State>

    /// Makes a transport and starts its threads.
    ///
    /// TLS is not touched before the first https request.
    ///
    /// - Throws: `HTTPTransportError` when `caCertificatePath` names no file of certificates.
    package init(_ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()) throws(HTTPTransportError)
    {
        let trustRoots = try NIOSSLTrustRoots(caCertificatePath: configuration.caCertificatePath)
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.eventLoops)
        let connections = OpenConnections()
        loops = group.makeIterator().map { loop in
            LoopResources(
                loop: loop,
                clients: HTTPClients(
                    loop: loop, configuration: configuration, trustRoots: trustRoots, connections: connections),
                direct: DirectConnections(
                    loop: loop, trustRoots: trustRoots, receiveBufferBytes: configuration.receiveBufferBytes,
                    connections: connections),
                executor: EventLoopExecutor(loop))
        }
        logger = configuration.logger
        speaksItself = configuration.speaksItself
        state = Mutex(State(load: Array(repeating: 0, count: loops.count)))
    }

    /// The event loop that it is called on, or else the next in turn.
    package func eventLoopExecutor() -> (any TaskExecutor)? {
        if let index = currentLoop { return loops[index].executor }
        let index = state.withLock { state in
            state.turn = (state.turn + 1) % loops.count
            return state.turn
        }
        return loops[index].executor
    }

    private var currentLoop: Int? { loops.firstIndex { $0.loop.inEventLoop } }

    /// Starts a transfer on the event loop that has the fewest, or that it is called on.
    package func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        let own = request.staysOnEventLoop ? currentLoop : nil
        let isDirect = (request.expectsSmall || speaksItself) && request.isPlain
        return state.withLock { state in
            // The first of the least loaded, so that one request after the other finds the connection of the one
            // before.
            let index = own ?? state.load.indices.min { state.load[$0] < state.load[$1] } ?? 0
            let resources = loops[index]
            let transfer = HTTPTransfer(sink: sink, loop: resources.loop) { [weak self] in self?.ended($0, on: index) }
            guard !state.isDown else {
                DispatchQueue.global().async { transfer.refuse() }
                return transfer
            }
            state.load[index] += 1
            state.running[ObjectIdentifier(transfer)] = transfer
            // Inside the lock, so that `shutdown` can't stop the loop in between.
            resources.loop.execute {
                guard isDirect else { return transfer.begin(request, clients: resources.clients, direct: resources.direct) }
                transfer.begin(request, direct: resources.direct, else: resources.clients)
            }
            return transfer
        }
    }

    /// Ends every transfer with `.cancelled`, closes every connection, and joins the threads.
    ///
    /// Takes at most about 200 ms longer than the sinks do.
    package func shutdown() async {
        let running: [HTTPTransfer]? = state.withLock { state in
            guard !state.isDown else { return nil }
            state.isDown = true
            return Array(state.running.values)
        }
        guard let running else { return }
        for transfer in running { transfer.cancel() }
        // What they leave to their loops.
        for resources in loops { try? await resources.loop.submit {}.get() }
        await closeConnections()
        // Closes at once the connections that were still coming about.
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
