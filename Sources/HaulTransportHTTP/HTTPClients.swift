import AsyncHTTPClient
import Dispatch
import HaulLibC
import HaulTransport
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The HTTP clients of one event loop.
///
/// Each is created when a request first needs it, so that a transport costs nothing before.
///
/// Each client is bound to one event loop, because AsyncHTTPClient closes a connection after one request if the
/// request asked for a loop.
///
/// AsyncHTTPClient has one connect timeout per client, and an abandoned attempt continues until then. Worse, a new
/// request to the same host waits for such an attempt instead of making its own. So the timeouts of requests are
/// rounded up to a few steps, and each step has its client: in practice one, because nearly all requests have the same
/// timeout. A route through a proxy, a client certificate and a local address have their own clients, too, so that no
/// request uses a connection that was made for another's. A tunnel has a client for each origin, so a client without a
/// request is dropped after a minute.
final class HTTPClients: Sendable {
    private struct Key: Hashable {
        /// True for https: clients for http do without the trusted certificates, which take milliseconds to parse.
        var isSecure: Bool
        var tls: TLSKey
        var connectSeconds: Int64
        var route: Route
        /// The address, not the name of the interface, whose address may change.
        var localAddress: String?
        var publicAddressesOnly: Bool
        /// True for requests that each have a connection of their own.
        var isAlone: Bool

        /// Returns true if the keys have the same files of a certificate in other versions, and are equal otherwise.
        func differsInVersions(from other: Self) -> Bool {
            guard tls.certificate != nil, self != other else { return false }
            var copy = self
            copy.tls.versions = other.tls.versions
            return copy == other
        }
    }

    /// The parameters of a TLS context.
    private struct TLSKey: Hashable {
        var insecure: Bool
        /// True if NIOSSL must not compare the address of the connection with the certificate.
        var hidesAddress: Bool
        var certificate: ClientCertificate?
        /// The versions of the certificate's files, so that the next requests use a renewed certificate.
        var versions: [FileVersion?]
    }

    private struct Entry {
        let client: HTTPClient
        let made = NIODeadline.now()
        /// The number of its requests that have not ended.
        var running = 0
        /// The end of the last one.
        var lastEnd = NIODeadline.now()
    }

    /// The time after which a client without a request is dropped; its connections are closed before.
    private static let maxIdle = TimeAmount.seconds(60)

    /// The longest wait for a connection: longer timeouts are reduced to it.
    ///
    /// Linux gives up sending SYN after about the same time (tcp(7), tcp_syn_retries).
    private static let maxConnectSeconds: Int64 = 120
    private static let connectSteps: [Int64] = [1, 2, 5, 15, 30, 60, maxConnectSeconds]

    private let loop: any EventLoop
    private let configuration: HTTPTransportConfiguration
    private let trustRoots: TrustRoots
    private let entries = Mutex<[Key: Entry]>([:])
    /// The TLS contexts of tunnels, each of which costs about 50 KiB.
    private let contexts = Mutex<[TLSKey: NIOSSLContext]>([:])
    private let willSweep = Atomic(false)
    private let lastBlank = Mutex<(origin: String, request: HTTPClient.Request)?>(nil)
    /// The limits on the size of reads.
    let readLimits = ReadLimits()
    /// The connections of the whole transport.
    let connections: ClientConnections

    /// Creates a set without clients.
    init(
        loop: any EventLoop, configuration: HTTPTransportConfiguration, trustRoots: TrustRoots,
        connections: ClientConnections
    ) {
        self.connections = connections
        self.loop = loop
        self.configuration = configuration
        self.trustRoots = trustRoots
    }

    /// The number of clients.
    var count: Int { entries.withLock { $0.count } }

    /// The number of TLS contexts of tunnels.
    var contextCount: Int { contexts.withLock { $0.count } }

    /// Returns the client for a request, and a function to be called when the request has ended.
    ///
    /// - Parameter isAlone: True if the connection is for this request only.
    /// - Throws: `TransportError` of kind `unusable` if the certificate or the local address cannot be used.
    func client(
        for request: TransferRequest, to target: RequestTarget, by route: Route, isAlone: Bool = false
    ) throws(TransportError) -> (client: HTTPClient, release: @Sendable () -> Void) {
        if request.publicAddressesOnly, route != .direct { try PublicAddress.check(request.url) }
        let timeout = TimeAmount(request.timeToConnect)
        let step = Self.connectSteps.first { timeout <= .seconds($0) } ?? Self.maxConnectSeconds
        let certificate = request.clientCertificate
        let files = certificate.map { [$0.certificatePath, $0.keyPath].compactMap(\.self) } ?? []
        let tls = TLSKey(
            insecure: request.insecure, hidesAddress: route.hidesAddress, certificate: certificate,
            versions: files.map { FileVersion(path: $0) })
        let localAddress = try request.localAddress.map { text throws(TransportError) in
            try LocalAddress.resolve(
                text, to: route == .direct ? CertificateNames.hostWithoutPort(target.authority) : "")
        }
        var key = Key(
            isSecure: target.isSecure, tls: tls, connectSeconds: step, route: route, localAddress: localAddress,
            publicAddressesOnly: request.publicAddressesOnly, isAlone: isAlone)
        let client = try entries.withLock { entries throws(TransportError) -> HTTPClient in
            if entries[key] == nil {
                do throws(TransportError) {
                    entries[key] = Entry(client: try makeClient(for: key))
                } catch {
                    // While the files are replaced, one after the other, they can't be used: the pair before can.
                    let earlier = entries.filter { $0.key.differsInVersions(from: key) }
                    guard let last = earlier.max(by: { $0.value.made < $1.value.made }) else { throw error }
                    key = last.key
                }
            }
            entries[key]?.running += 1
            guard let entry = entries[key] else { throw TransportError(.unusable, "no HTTP client") }
            return entry.client
        }
        sweepLater()
        return (client, { [key] in self.release(key) })
    }

    private func makeClient(for key: Key) throws(TransportError) -> HTTPClient {
        configuration.logger.debug(
            "HTTP client made",
            metadata: [
                "insecure": "\(key.tls.insecure)", "connect-seconds": "\(key.connectSeconds)",
                "route": "\(key.route.name)",
            ])
        return HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: try clientConfiguration(for: key))
    }

    private func release(_ key: Key) {
        entries.withLock { entries in
            entries[key]?.running -= 1
            entries[key]?.lastEnd = .now()
        }
    }

    /// Drops the clients whose last request ended before a time, and the TLS contexts that no client uses.
    func dropIdle(before deadline: NIODeadline) {
        let (idle, used) = entries.withLock { entries in
            let idle = entries.filter { $0.value.running == 0 && $0.value.lastEnd <= deadline }
            for key in idle.keys { entries[key] = nil }
            return (idle.values.map(\.client), Set(entries.keys.map(\.tls)))
        }
        contexts.withLock { contexts in contexts = contexts.filter { used.contains($0.key) } }
        for client in idle { client.shutdown(queue: .global()) { _ in } }
    }

    private func sweepLater() {
        guard !willSweep.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.scheduleTask(in: Self.maxIdle) {
            self.willSweep.store(false, ordering: .releasing)
            self.dropIdle(before: .now() - Self.maxIdle)
            if self.count > 0 { self.sweepLater() }
        }
    }

    /// Returns a GET request without headers for an origin.
    ///
    /// AsyncHTTPClient parses a URL with Foundation, which takes longer than everything else in creating a request, so
    /// the last one is cached.
    func blankRequest(to origin: String) throws -> HTTPClient.Request {
        if let last = lastBlank.withLock({ $0 }), last.origin == origin { return last.request }
        let request = try HTTPClient.Request(url: origin)
        lastBlank.withLock { $0 = (origin, request) }
        return request
    }

    /// Starts closing all connections.
    ///
    /// `closed` is called once per client when all of its connections are closed.
    ///
    /// AsyncHTTPClient lets connection attempts run to their timeout before it reports that.
    ///
    /// - Returns: The number of clients.
    func shutdown(closed: @escaping @Sendable () -> Void) -> Int {
        let all = entries.withLock { entries in
            defer { entries = [:] }
            return entries.values.map(\.client)
        }
        for client in all {
            client.shutdown(queue: .global()) { _ in closed() }
        }
        return all.count
    }

    private func tlsConfiguration(for key: Key) throws(TransportError) -> TLSConfiguration {
        var tls = TLSConfiguration.client
        tls.trustRoots = key.isSecure ? try trustRoots.certificates() : .certificates([])
        // Behind a proxy NIOSSL would compare the proxy's address: `CertificateNameHandler` compares the URL's.
        if key.tls.hidesAddress { tls.certificateVerification = .noHostnameVerification }
        if key.tls.insecure { tls.certificateVerification = .none }
        if let certificate = key.tls.certificate { try tls.show(certificate) }
        return tls
    }

    private func clientConfiguration(for key: Key) throws(TransportError) -> HTTPClient.Configuration {
        var result = HTTPClient.Configuration(
            tlsConfiguration: try tlsConfiguration(for: key), redirectConfiguration: .disallow)
        result.proxy = key.route.socks
        result.localAddress = key.localAddress
        // No read timeout: the engine detects stalls, and a paused transfer is not one.
        result.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(key.connectSeconds), read: nil)
        result.connectionPool = HTTPClient.Configuration.ConnectionPool(
            idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: 1024)
        // If enabled, a refused connection is retried until the connect timeout, and the cause is reported only then.
        result.connectionPool.retryConnectionEstablishment = false
        result.decompression = .disabled
        // A span would reveal at most the origin, and its attributes are created for each request even without a
        // tracer.
        result.tracing.tracer = nil
        result.httpVersion = .http1Only
        let bytes = configuration.receiveBufferBytes
        let tunnel = try tunnel(for: key)
        // Behind a proxy, the connected address is the proxy's.
        let checksAddress = key.publicAddressesOnly && key.route == .direct
        result.http1_1ConnectionDebugInitializer = { [readLimits, connections] channel in
            if checksAddress, let refusal = PublicAddress.refusal(of: channel.remoteAddress) {
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(refusal)
            }
            let isReady = tunnel?.make(on: channel) ?? channel.eventLoop.makeSucceededVoidFuture()
            return isReady.flatMap {
                Self.setUp(
                    channel, bufferBytes: HTTPTransportConfiguration.share(of: bytes, beside: connections.count),
                    verifies: !key.tls.insecure, readLimits, connections)
            }
        }
        return result
    }

    /// Returns the tunnel of a route.
    ///
    /// AsyncHTTPClient treats the proxy as the server; the tunnel to the origin is set up on each new connection.
    private func tunnel(for key: Key) throws(TransportError) -> Tunnel? {
        guard case .tunnel(let proxy, let origin) = key.route else { return nil }
        let host = CertificateNames.hostWithoutPort(origin)
        return Tunnel(
            proxy: proxy, authority: origin, serverName: key.tls.hidesAddress ? nil : host,
            context: try context(for: key), timeout: .seconds(key.connectSeconds))
    }

    private func context(for key: Key) throws(TransportError) -> NIOSSLContext {
        if let context = contexts.withLock({ $0[key.tls] }) { return context }
        var tls = try tlsConfiguration(for: key)
        tls.applicationProtocols = ["http/1.1"]
        do {
            let context = try NIOSSLContext(configuration: tls)
            contexts.withLock { $0[key.tls] = context }
            return context
        } catch {
            throw TransportError(error)
        }
    }

    /// Prepares a new connection: the request target, the certificate's name, and one large read per turn of the event
    /// loop.
    ///
    /// A paused transfer then holds one buffer instead of the default four.
    private static func setUp(
        _ channel: any Channel, bufferBytes: Int, verifies: Bool, _ limits: ReadLimits, _ connections: ClientConnections
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            let reads = LimitedReads.Current()
            try pipeline.addHandler(RequestTargetHandler(limits, reads), position: .after(encoder))
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let repairs = HeadRepairHandler()
            try pipeline.addHandler(repairs, position: .before(decoder))
            try pipeline.addHandler(ConnectionUse(connections, repairs), position: .after(decoder))
            try InvalidStatusHandler.add(to: pipeline)
            let tls = try? pipeline.handler(type: NIOSSLClientHandler.self)
            if let tls { try pipeline.addHandler(PromptCloseHandler(), position: .after(tls)) }
            if verifies, tls != nil { try pipeline.addHandler(CertificateNameHandler(), position: .after(encoder)) }
            // Decryption makes a copy, so larger reads gain nothing there and cost memory and cache.
            let bytes = tls != nil ? min(bufferBytes, 256 << 10) : bufferBytes
            try pipeline.addHandler(ReadCoalescer(bufferBytes: bytes), position: .first)
            try channel.syncOptions?.setOption(
                .recvAllocator, value: LimitedReads(capacity: bytes, current: reads))
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        }
    }
}
