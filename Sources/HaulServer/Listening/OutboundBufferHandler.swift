import NIOCore

/// Stands next to the socket and tells the limit what goes out, and what has gone.
final class OutboundBufferHandler: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let limit: OutboundBuffers

    init(_ limit: OutboundBuffers) { self.limit = limit }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data).readableBytes
        guard bytes >= OutboundBuffers.minimum else { return context.write(data, promise: promise) }
        let (limit, channel) = (limit, context.channel)
        limit.began(bytes, on: channel)
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in limit.over(bytes, on: channel) }
        context.write(data, promise: written)
    }
}
