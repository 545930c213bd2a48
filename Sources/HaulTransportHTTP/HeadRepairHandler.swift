import HaulCore
import HaulTransport
import NIOCore
import NIOHTTP1

/// Passes the head of each response to NIO's parser with the repairs of `HeadRepair`; a clean head passes unchanged.
///
/// NIO decodes values as UTF-8 and replaces all other bytes with U+FFFD, after which a file name cannot be repaired.
/// The handler is placed before the parser, seen from the socket. A request passes it on its way out, after which a
/// head is expected.
final class HeadRepairHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Any

    /// The size above which a head is left to the parser.
    private static let largestHead = 128 << 10

    /// True also before the first request: a server of another protocol may send a greeting at once.
    private var expectsHead = true
    private var isBroken = false
    /// The first bytes of an incomplete head.
    private var held: ByteBuffer?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        expectsHead = true
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        guard expectsHead else { return context.fireChannelRead(data) }
        var buffer = unwrapInboundIn(data)
        if var head = held.take() {
            head.writeBuffer(&buffer)
            buffer = head
        }
        while expectsHead {
            if let problem = TransportError(ResponseStart(buffer.readableBytesView)) {
                isBroken = true
                return context.fireErrorCaught(problem)
            }
            guard let end = HeadRepair.end(of: buffer.readableBytesView) else {
                guard buffer.readableBytes > Self.largestHead else {
                    held = buffer
                    return
                }
                expectsHead = false
                break
            }
            // Any number of interim responses may come first (RFC 9110, section 15.2), but after 101 another protocol
            // follows.
            let status = buffer.getBytes(at: buffer.readerIndex + 9, length: 3)
            let isInterim = status?.first == UInt8(ascii: "1") && status != Array("101".utf8)
            expectsHead = isInterim
            if end.isClean {
                if !isInterim || buffer.readableBytes == end.count { break }
                if let head = buffer.readSlice(length: end.count) { context.fireChannelRead(wrapInboundOut(head)) }
            } else if let head = buffer.readBytes(length: end.count) {
                context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: HeadRepair.repaired(head))))
            }
        }
        if buffer.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(buffer)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { release(context) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Passes on a head that has no end.
    private func release(_ context: ChannelHandlerContext) {
        if let head = held.take() { context.fireChannelRead(wrapInboundOut(head)) }
    }
}
