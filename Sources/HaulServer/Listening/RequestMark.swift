import NIOCore
import NIOHTTPTypes

/// Notes for a connection when a request begins and when it is answered.
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
