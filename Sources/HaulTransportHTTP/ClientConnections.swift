import NIOCore
import NIOHTTP1
import Synchronization

/// The connections of a transport, so that idle ones can be closed for a host that counts them.
///
/// AsyncHTTPClient keeps a connection for 30 s after its last request and has no function to close idle ones.
final class ClientConnections: Sendable {
    private let all = Mutex<[ObjectIdentifier: NIOLoopBound<any HostConnection>]>([:])

    /// The number of open connections.
    var count: Int { all.withLock { $0.count } }

    /// Adds a new connection.
    ///
    /// Must be called on its event loop.
    func add(_ use: any HostConnection, on loop: any EventLoop) {
        let bound = NIOLoopBound(use, eventLoop: loop)
        all.withLock { $0[ObjectIdentifier(use)] = bound }
    }

    /// Removes a connection that has ended.
    func remove(_ use: any HostConnection) { all.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(use)) } }

    /// Closes the idle connections to a host.
    ///
    /// - Parameter authority: The result of `ConnectionUse.authority` for host and port.
    func closeIdle(at authority: String) {
        for use in all.withLock({ Array($0.values) }) {
            use.eventLoop.execute { use.value.closeIfIdle(at: authority) }
        }
    }
}

/// A connection that knows its destination and whether it has a request.
protocol HostConnection: AnyObject {
    /// Closes the connection if it leads to this host and has no request.
    func closeIfIdle(at authority: String)
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
    private var context: ChannelHandlerContext?
    private var host = ""
    private var isBusy = false

    /// Creates the handler of a new connection.
    init(_ all: ClientConnections) { self.all = all }

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
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            isBusy = true
            host = head.headers.first(name: "host") ?? ""
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { isBusy = false }
        context.fireChannelRead(data)
    }

    func closeIfIdle(at authority: String) {
        guard !isBusy, Self.authority(host) == authority else { return }
        context?.close(promise: nil)
    }
}
