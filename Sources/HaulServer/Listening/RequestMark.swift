import NIOCore
import NIOHTTPTypes
import Synchronization

/// Records the start and the end of each request of a connection.
final class RequestMark: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let slot: ServerConnections.Slot

    init(_ slot: ServerConnections.Slot) { self.slot = slot }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { slot.begin() }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { slot.end() }
        context.write(data, promise: promise)
    }
}

/// Holds the gate of a socket, which is known only once it listens: the system may choose the port.
final class GateBox: Sendable {
    private let kept = Mutex<RequestGate?>(nil)

    /// The gate; nil before it is known.
    var gate: RequestGate? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
