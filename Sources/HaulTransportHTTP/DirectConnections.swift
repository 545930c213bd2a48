import HaulTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Haul's own connections on one event loop, for many small files with one short response each.
///
///     socket -> [TLS] -> ResponseDecoder -> DirectConnection -> HTTPTransfer -> sink
///
/// AsyncHTTPClient does the same and more, but needs twice as much time for a small file: see the decision on the cost
/// of small files. Everything beyond a GET directly to its origin is left to it.
///
/// An idle connection is reused for 30 s and closed within a minute, or before if there are too many. All of this runs
/// on the loop.
final class DirectConnections: Sendable {
    private struct Key: Hashable {
        let origin: DirectOrigin
        let insecure: Bool
    }

    private struct State {
        var pools: [Key: DirectPool] = [:]
        /// The pool that was requested last: nearly all requests are for the same origin.
        var last: (origin: String, pool: DirectPool)?
        var contexts: [Bool: NIOSSLContext] = [:]
        var willSweep = false
        /// The number of connections being established, and a function that is called for each when that has ended.
        var connecting = 0
        var onConnected: (@Sendable () -> Void)?
    }

    private static let maxIdle = TimeAmount.seconds(30)
    /// Large enough for a small file and its head.
    ///
    /// `DirectConnection` uses larger reads for large files.
    private static let readBytes = 64 << 10

    private let loop: any EventLoop
    private let trustRoots: TrustRoots
    private let receiveBufferBytes: Int
    private let connections: ClientConnections
    private let lookups: SharedLookups?
    private let state: NIOLoopBoundBox<State>

    /// Creates an empty set of connections.
    init(
        loop: any EventLoop, trustRoots: TrustRoots, receiveBufferBytes: Int, connections: ClientConnections,
        lookups: SharedLookups? = nil
    ) {
        self.loop = loop
        self.trustRoots = trustRoots
        self.receiveBufferBytes = receiveBufferBytes
        self.connections = connections
        self.lookups = lookups
        state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: loop)
    }

    /// Returns the pool for the origin of a URL; nil if AsyncHTTPClient is needed.
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

    /// Returns an idle connection, if there is one.
    func idle(in pool: DirectPool) -> DirectConnection? { pool.take(usedAfter: .now() - Self.maxIdle) }

    /// Opens a connection and sends a request over it as soon as it is established.
    func connect(_ pool: DirectPool, sending request: DirectRequest, for transfer: HTTPTransfer, timeout: TimeAmount) {
        let tls: NIOSSLContext?
        do { tls = try context(for: pool) } catch { return transfer.received(error) }
        let bound = NIOLoopBound(pool, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .resolver(lookups.map { HostLookup($0, loop) })
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.setUp(channel, for: bound.value, tls) }
            }
        // An address needs no lookup and no choice among several.
        let channel =
            pool.origin.address.map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: pool.origin.host, port: pool.origin.port)
        // Counted here, because a connection has no channel yet during the lookup.
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

    /// Connects only to find out why a server's certificate is not accepted.
    ///
    /// Nothing is sent except what TLS needs.
    ///
    /// - Parameter done: Called on the loop with the problem, or with nil if it is unknown.
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

    /// Keeps a connection after a complete response.
    func keep(_ connection: DirectConnection) {
        connection.pool.keep(connection)
        connections.becameIdle(connection)
        sweepLater()
    }

    /// Records that an idle connection is used again.
    func use(_ connection: DirectConnection) { connections.becameBusy(connection) }

    /// Removes a connection that has ended.
    func forget(_ connection: DirectConnection) {
        connections.remove(connection)
        connection.pool.forget(connection)
    }

    /// Closes idle connections, and calls `connected` once for each connection that is still being established, when
    /// that has ended.
    ///
    /// - Returns: The number of connections being established.
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
        // As an option of the bootstrap, it would be cast from a type that is not known, which takes a search.
        try channel.syncOptions?.setOption(
            .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            let name = pool.origin.address == nil ? pool.origin.host : nil
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
            try pipeline.addHandler(PromptCloseHandler())
        }
        let decoder = ResponseDecoder()
        try pipeline.addHandler(decoder)
        let bytes = HTTPTransportConfiguration.share(of: receiveBufferBytes, beside: connections.count)
        let connection = DirectConnection(
            pool, of: self, decoder: decoder, isReady: tls == nil,
            largestRead: tls == nil ? bytes : min(bytes, 256 << 10))
        try pipeline.addHandler(connection)
        connections.add(connection, on: loop)
        pool.add()
    }

    private func context(for pool: DirectPool) throws -> NIOSSLContext? {
        guard pool.origin.isSecure else { return nil }
        if let context = state.value.contexts[pool.insecure] { return context }
        var configuration = TLSConfiguration.client
        configuration.trustRoots = try trustRoots.certificates()
        configuration.applicationProtocols = ["http/1.1"]
        if pool.insecure { configuration.certificateVerification = .none }
        let context = try NIOSSLContext(configuration: configuration)
        state.value.contexts[pool.insecure] = context
        return context
    }
}
