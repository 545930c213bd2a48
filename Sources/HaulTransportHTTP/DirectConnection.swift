import HaulTransport
import NIOCore
import NIOHTTP1
import NIOTLS

/// One of Haul's own connections, and the transfer that uses it at present.
///
/// It is the last handler, after TLS and `ResponseDecoder`.
final class DirectConnection: ChannelInboundHandler, HostConnection {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = ByteBuffer

    private enum Event {
        case part(HTTPClientResponsePart)
        case broken(any Error)
    }

    /// The size above which a body is read in large reads.
    private static let largestSmallBody = 256 << 10

    /// The pool that keeps the connection while it has no transfer.
    let pool: DirectPool
    /// The time since which the connection has waited for a transfer; nil if it is not idle.
    private(set) var idleSince: NIODeadline?
    private let all: DirectConnections
    private let decoder: ResponseDecoder
    private let largestRead: Int
    private var context: ChannelHandlerContext?
    private var transfer: HTTPTransfer?
    /// The request that waits for the end of the TLS handshake.
    private var pending: DirectRequest?
    private var isReady: Bool
    /// True if another request may follow the response.
    private var isReusable = false
    /// True until the response to a request after the first one begins: what can't be read then may be the rest of the
    /// response before it, and the server may have closed the connection after that.
    private var mayBeStale = false
    /// True if the transfer is paused.
    ///
    /// Events that arrive all the same are held.
    private var isHeld = false
    private var held = CircularBuffer<Event>()
    private var readsMuch = false
    /// The limit on the size of reads of the current transfer.
    private let readLimit = LimitedReads.Current()

    /// Creates the handler of a new connection.
    ///
    /// - Parameter isReady: True if a request can be sent as soon as the connection is established.
    init(_ pool: DirectPool, of all: DirectConnections, decoder: ResponseDecoder, isReady: Bool, largestRead: Int) {
        self.pool = pool
        self.all = all
        self.decoder = decoder
        self.isReady = isReady
        self.largestRead = largestRead
    }

    /// True if the connection is still open.
    var isActive: Bool { context?.channel.isActive ?? false }

    /// Sends a request; its response goes to the transfer.
    func carry(_ request: DirectRequest, for transfer: HTTPTransfer) {
        mayBeStale = idleSince != nil
        if mayBeStale { all.use(self) }
        idleSince = nil
        guard transfer.takes(self) else { return close() }
        self.transfer = transfer
        guard isActive else { return broke(ChannelError.eof) }
        guard isReady else { return pending = request }
        send(request)
    }

    /// Resumes reading, because the transfer wants the rest of the response.
    func resumeReading() {
        guard isHeld else { return }
        isHeld = false
        while !isHeld, let event = held.popFirst() { deliver(event) }
        if !isHeld { read(automatically: true) }
    }

    /// Detaches a transfer that has ended.
    ///
    /// If its response is incomplete, the connection is closed.
    func leave(_ transfer: HTTPTransfer) {
        guard self.transfer === transfer else { return }
        self.transfer = nil
        held.removeAll()
        close()
    }

    /// Closes the connection.
    func close() { context?.close(promise: nil) }

    func closeIfIdle(at authority: String?) {
        let own = ConnectionUse.authority(pool.origin.authority)
        guard idleSince != nil, own == authority ?? own else { return }
        close()
    }

    private func send(_ request: DirectRequest) {
        guard let context else { return }
        transfer?.connected()
        readLimit.set(request.readLimit)
        // From the first read on: after a small one, the kernel's window may stay small.
        if request.readLimit != nil { readMuch() }
        decoder.expectResponse()
        context.writeAndFlush(wrapOutboundOut(request.bytes), promise: nil)
    }

    private func read(automatically: Bool) {
        try? context?.channel.syncOptions?.setOption(.autoRead, value: automatically)
    }
}

// MARK: - Inbound events

extension DirectConnection {
    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        all.forget(self)
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            if !pool.insecure,
                let problem = CertificateNames.problem(
                    of: context.pipeline.syncOperations, host: pool.origin.authority)
            {
                return errorCaught(context: context, error: problem)
            }
            isReady = true
            if let request = pending { send(request) }
            pending = nil
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(.part(unwrapInboundIn(data))) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isLeftover = mayBeStale && TransportError(error).kind == .badResponse
        // Another connection is worth a try.
        broke(
            isLeftover
                ? TransportError.leftover
                : TransportError.explained(error, by: context.pipeline.syncOperations))
        close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        broke(
            isReady
                ? ChannelError.eof : TransportError(.cut, "the server closed the connection during the TLS handshake"))
    }

    private func broke(_ error: any Error) {
        receive(.broken(mayBeStale ? StaleConnection(cause: error) : error))
    }

    private func receive(_ event: Event) {
        if isHeld { held.append(event) } else { deliver(event) }
    }

    private func deliver(_ event: Event) {
        // Without a transfer, this is the rest of an abandoned response, or an error after its end.
        guard let transfer else { return }
        switch event {
        case .part(.head(let head)):
            guard !mayBeStale || !decoder.mayBeMixed(head) else {
                self.transfer = nil
                transfer.received(StaleConnection(cause: TransportError.leftover))
                return close()
            }
            // After 101 no HTTP follows (RFC 9110, section 15.2.2), although no other protocol was requested.
            mayBeStale = false
            isReusable = head.isKeepAlive && head.status != .switchingProtocols
            let length = head.headers.first(name: "content-length").flatMap { Int($0) }
            if length ?? .max > Self.largestSmallBody { readMuch() }
            follow(transfer.receive(head))
        case .part(.body(let buffer)): follow(transfer.receive(buffer))
        case .part(.end):
            rest()
            transfer.receivedEnd()
        case .broken(let error):
            self.transfer = nil
            transfer.received(error)
        }
    }

    private func follow(_ flow: HTTPTransfer.Flow) {
        guard flow == .wait else { return }
        isHeld = true
        read(automatically: false)
    }

    /// Makes the connection idle after the end of a response.
    private func rest() {
        transfer = nil
        guard isReusable, isActive, held.isEmpty else { return close() }
        idleSince = .now()
        decoder.expectNothing()
        all.keep(self)
    }

    /// Switches to large reads, as on AsyncHTTPClient's connections, for the rest of a large response, or of one of unknown
    /// length.
    private func readMuch() {
        guard !readsMuch, let context else { return }
        readsMuch = true
        let allocator = LimitedReads(capacity: largestRead, current: readLimit)
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: allocator)
        try? context.pipeline.syncOperations.addHandler(ReadCoalescer(bufferBytes: largestRead), position: .first)
    }
}
