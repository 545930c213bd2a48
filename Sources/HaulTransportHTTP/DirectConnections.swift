import HaulTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The connections of Haul's own on one event loop: for many small files, of which each is one short answer.
///
///     socket -> [TLS] -> NIO's HTTP/1.1 -> DirectConnection -> HTTPTransfer -> sink
///
/// AsyncHTTPClient does the same and more, and a small file costs it twice as much: see the decision on what a small file costs. What is more than a
/// GET straight to its origin stays with it.
///
/// An idle connection is used for 30 s and closed within a minute. All of it happens on the loop.
final class DirectConnections: Sendable {
    private struct Key: Hashable {
        let origin: DirectOrigin
        let insecure: Bool
    }

    private struct State {
        var pools: [Key: DirectPool] = [:]
        /// The pool that was asked for last, as nearly all are for the same origin.
        var last: (origin: String, pool: DirectPool)?
        var contexts: [Bool: NIOSSLContext] = [:]
        var willSweep = false
        /// How many connections are coming about, and who wants to know of each that is done with that.
        var connecting = 0
        var onConnected: (@Sendable () -> Void)?
    }

    private static let maxIdle = TimeAmount.seconds(30)
    /// Holds a small file and its head; `DirectConnection` reads more at a time of a large one.
    private static let readBytes = 64 << 10

    private let loop: any EventLoop
    private let trustRoots: NIOSSLTrustRoots
    private let receiveBufferBytes: Int
    private let connections: OpenConnections
    private let state: NIOLoopBoundBox<State>

    /// Makes none yet.
    init(
        loop: any EventLoop, trustRoots: NIOSSLTrustRoots, receiveBufferBytes: Int, connections: OpenConnections
    ) {
        self.loop = loop
        self.trustRoots = trustRoots
        self.receiveBufferBytes = receiveBufferBytes
        self.connections = connections
        state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: loop)
    }

    /// The connections to where a URL leads; nil where AsyncHTTPClient is needed.
    func pool(for target: RequestTarget, insecure: Bool) -> DirectPool? {
        if let last = state.value.last, last.origin == target.origin, last.pool.insecure == insecure {
            return last.pool
        }
        guard let origin = DirectOrigin(target) else { return nil }
        let key = Key(origin: origin, insecure: insecure)
        let pool = state.value.pools[key] ?? DirectPool(origin, insecure: insecure)
        state.value.pools[key] = pool
        state.value.last = (target.origin, pool)
        sweepLater()
        return pool
    }

    /// A connection that waits for a request.
    func idle(in pool: DirectPool) -> DirectConnection? { pool.take(usedAfter: .now() - Self.maxIdle) }

    /// Makes a connection and sends a request over it as soon as it stands.
    func connect(_ pool: DirectPool, sending request: DirectRequest, for transfer: HTTPTransfer, timeout: TimeAmount) {
        let tls: NIOSSLContext?
        do { tls = try context(for: pool) } catch { return transfer.received(error) }
        let bound = NIOLoopBound(pool, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.setUp(channel, for: bound.value, tls) }
            }
        // An address needs neither a lookup nor a choice.
        let channel =
            pool.origin.address.map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: pool.origin.host, port: pool.origin.port)
        // A lookup has no channel yet that would be counted.
        pool.add()
        state.value.connecting += 1
        channel.whenComplete { result in
            bound.value.remove()
            self.state.value.connecting -= 1
            self.state.value.onConnected?()
            do {
                let pipeline = try result.get().pipeline.syncOperations
                try pipeline.handler(type: DirectConnection.self).carry(request, for: transfer)
            } catch {
                transfer.received(error)
            }
        }
    }

    /// Makes a connection only to find out why the certificate of a server is not accepted; nothing is sent but what TLS needs.
    ///
    /// - Parameter done: Called on the loop with what is wrong with it; nil: that is not known.
    func examine(
        _ target: RequestTarget, timeout: TimeAmount, _ done: @escaping @Sendable (TransportError?) -> Void
    ) {
        guard let origin = DirectOrigin(target), let tls = try? context(for: DirectPool(origin, insecure: false)) else {
            return done(nil)
        }
        let promise = loop.makePromise(of: Void.self)
        let isLate = loop.scheduleTask(in: timeout) { promise.fail(ChannelError.connectTimeout(timeout)) }
        let channel = ClientBootstrap(group: loop).connectTimeout(timeout).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let name = origin.address == nil ? origin.host : nil
                try channel.pipeline.syncOperations.addHandlers(
                    NIOSSLClientHandler(context: tls, serverHostname: name), HandshakeHandler(done: promise))
            }
        }.connect(host: origin.host, port: origin.port)
        channel.whenFailure { promise.fail($0) }
        promise.futureResult.whenComplete { result in
            isLate.cancel()
            channel.whenSuccess { $0.close(promise: nil) }
            guard case .failure(let error as TransportError) = result, error.kind == .untrusted else {
                return done(nil)
            }
            done(error)
        }
    }

    /// Keeps a connection whose answer has ended whole.
    func keep(_ connection: DirectConnection) {
        connection.pool.keep(connection)
        sweepLater()
    }

    /// A connection has ended.
    func forget(_ connection: DirectConnection) {
        connections.remove(connection)
        connection.pool.forget(connection)
    }

    /// Closes the idle ones, and tells of each one that is coming about when it is done with that.
    ///
    /// - Returns: How many of those there are.
    func shutdown(connected: @escaping @Sendable () -> Void) -> Int {
        close(before: .distantFuture)
        state.value.onConnected = connected
        return state.value.connecting
    }

    private func close(before deadline: NIODeadline) {
        for pool in state.value.pools.values { pool.close(before: deadline) }
    }

    private func sweepLater() {
        guard !state.value.willSweep else { return }
        state.value.willSweep = true
        loop.scheduleTask(in: Self.maxIdle) {
            self.state.value.willSweep = false
            self.close(before: .now() - Self.maxIdle)
            self.state.value.pools = self.state.value.pools.filter { $0.value.count > 0 }
            self.state.value.last = nil
            if !self.state.value.pools.isEmpty { self.sweepLater() }
        }
    }

    private func setUp(_ channel: any Channel, for pool: DirectPool, _ tls: NIOSSLContext?) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            let name = pool.origin.address == nil ? pool.origin.host : nil
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
            try pipeline.addHandler(PromptCloseHandler())
        }
        let encoder = DirectEncoder()
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(HeadRepairHandler())
        try pipeline.addHandler(ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)))
        if tls != nil, !pool.insecure { try pipeline.addHandler(CertificateNameHandler()) }
        let bytes = HTTPTransportConfiguration.share(of: receiveBufferBytes, beside: connections.count)
        let connection = DirectConnection(
            pool, of: self, encoder: encoder, isReady: tls == nil,
            largestRead: tls == nil ? bytes : min(bytes, 256 << 10))
        try pipeline.addHandler(connection)
        connections.add(connection, on: loop)
        pool.add()
    }

    private func context(for pool: DirectPool) throws -> NIOSSLContext? {
        guard pool.origin.isSecure else { return nil }
        if let context = state.value.contexts[pool.insecure] { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = trustRoots
        configuration.applicationProtocols = ["http/1.1"]
        if pool.insecure { configuration.certificateVerification = .none }
        let context = try NIOSSLContext(configuration: configuration)
        state.value.contexts[pool.insecure] = context
        return context
    }
}
