import AsyncHTTPClient
import HaulLibC
import HaulTransport
import NIOCore
import NIOHTTP1
import Synchronization

/// The connections of a transport, so that idle ones can be closed: for a host that counts them, and for others that
/// need their files.
///
/// AsyncHTTPClient keeps a connection for 30 s after its last request and has no function to close idle ones. Without a
/// limit, a list of many hosts would keep a file open for each host of that time.
final class ClientConnections: Sendable {
    private struct State {
        var all: [ObjectIdentifier: NIOLoopBound<any HostConnection>] = [:]
        /// The idle connections, numbered in the order in which they became idle.
        var idle: [ObjectIdentifier: UInt64] = [:]
        var lastNumber: UInt64 = 0
    }

    private let maxIdle: Int
    private let state = Mutex(State())

    /// Creates an empty set.
    ///
    /// - Parameter maxIdle: The maximum number of idle connections; nil for a quarter of the files that the process may
    ///   open, and at most 512.
    init(maxIdle: Int? = nil) { self.maxIdle = maxIdle ?? Int(min(512, (FreeFiles.limit ?? 1024) / 4)) }

    /// The number of open connections.
    var count: Int { state.withLock { $0.all.count } }

    /// Adds a new connection.
    ///
    /// Must be called on its event loop.
    func add(_ use: any HostConnection, on loop: any EventLoop) {
        let bound = NIOLoopBound(use, eventLoop: loop)
        state.withLock { $0.all[ObjectIdentifier(use)] = bound }
    }

    /// Removes a connection that has ended.
    func remove(_ use: any HostConnection) {
        state.withLock { state in
            state.all[ObjectIdentifier(use)] = nil
            state.idle[ObjectIdentifier(use)] = nil
        }
    }

    /// Records that a connection has become idle; beyond the limit, the one that has been idle longest is closed.
    func becameIdle(_ use: any HostConnection) {
        let oldest = state.withLock { state -> NIOLoopBound<any HostConnection>? in
            guard state.all[ObjectIdentifier(use)] != nil else { return nil }
            state.lastNumber += 1
            state.idle[ObjectIdentifier(use)] = state.lastNumber
            guard state.idle.count > maxIdle, let oldest = state.idle.min(by: { $0.value < $1.value }) else {
                return nil
            }
            state.idle[oldest.key] = nil
            return state.all[oldest.key]
        }
        if let oldest { Self.close(oldest, at: nil) }
    }

    /// Records that an idle connection has a request.
    func becameBusy(_ use: any HostConnection) { state.withLock { $0.idle[ObjectIdentifier(use)] = nil } }

    /// Closes the idle connections to a host.
    ///
    /// - Parameter authority: The result of `ConnectionUse.authority` for host and port.
    func closeIdle(at authority: String) {
        for use in state.withLock({ Array($0.all.values) }) { Self.close(use, at: authority) }
    }

    /// Closes all idle connections.
    ///
    /// - Returns: False if there are none.
    func closeIdle() -> Bool {
        let idle = state.withLock { state in state.idle.keys.compactMap { state.all[$0] } }
        for use in idle { Self.close(use, at: nil) }
        return !idle.isEmpty
    }

    /// Closes a connection if it is still idle on its event loop.
    private static func close(_ use: NIOLoopBound<any HostConnection>, at authority: String?) {
        use.eventLoop.execute { use.value.closeIfIdle(at: authority) }
    }
}

/// A connection that knows its destination and whether it has a request.
protocol HostConnection: AnyObject {
    /// Closes the connection if it leads to this host, or to any if nil, and waits for its next request.
    func closeIfIdle(at authority: String?)
}

/// Tracks the destination of one of AsyncHTTPClient's connections, and whether it has a request.
///
/// The handler is placed after the decoder, seen from the socket.
final class ConnectionUse: ChannelDuplexHandler, RemovableChannelHandler, HostConnection {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let all: ClientConnections
    private let repairs: HeadRepairHandler
    private var context: ChannelHandlerContext?
    private var host = ""
    /// True while a request is being sent.
    private var isSending = false
    /// True from the start of a request until its response has been received.
    private var isReceiving = false
    /// True until the response to a request after the first one begins, if the request may be sent again.
    private var mayBeStale = false

    /// Creates the handler of a new connection.
    init(_ all: ClientConnections, _ repairs: HeadRepairHandler) { (self.all, self.repairs) = (all, repairs) }

    /// Returns host and port in comparable form, without default ports.
    static func authority(_ authority: some StringProtocol) -> String {
        let text = authority.lowercased()
        let port = [":443", ":80"].first { text.hasSuffix($0) }
        return String(text.dropLast(port?.count ?? 0))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        all.add(self, on: context.eventLoop)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        all.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        all.remove(self)
        if mayBeStale { errorCaught(context: context, error: HTTPClientError.remoteConnectionClosed) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isStale = mayBeStale
        mayBeStale = false
        context.fireErrorCaught(isStale ? StaleConnection(cause: error) : error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            // A connection without a host has not had its first request.
            mayBeStale = !host.isEmpty && head.mayBeRepeated
            (isSending, isReceiving) = (true, true)
            host = head.headers.first(name: "host") ?? ""
            all.becameBusy(self)
        case .body: break
        case .end:
            isSending = false
            noteIdle()
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !mayBeStale || !repairs.mayBeMixed(head) else {
                return errorCaught(context: context, error: TransportError.leftover)
            }
            mayBeStale = false
        case .body: break
        case .end:
            isReceiving = false
            noteIdle()
        }
        context.fireChannelRead(data)
    }

    func closeIfIdle(at authority: String?) {
        guard !isSending, !isReceiving, !host.isEmpty, Self.authority(host) == authority ?? Self.authority(host) else {
            return
        }
        context?.close(promise: nil)
    }

    private func noteIdle() {
        guard !isSending, !isReceiving else { return }
        repairs.expectNothing()
        all.becameIdle(self)
    }
}
