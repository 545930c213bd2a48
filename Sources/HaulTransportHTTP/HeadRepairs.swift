import HaulCore
import HaulTransport
import NIOCore

/// Hands the bytes of a connection to NIO's parser: each head with the repairs of `HeadRepair`, everything else
/// unchanged.
///
/// NIO decodes values as UTF-8 and replaces all other bytes with U+FFFD, after which a file name cannot be repaired.
final class HeadRepairs {
    /// The size above which a head is left to the parser.
    private static let largestHead = 128 << 10

    /// True also before the first request: a server of another protocol may send a greeting at once.
    private var expectsHead = true
    private var isBroken = false
    /// The first bytes of an incomplete head.
    private var held: ByteBuffer?

    /// Expects a head next, because a request was sent.
    func expectHead() { expectsHead = true }

    /// Takes bytes that were received, and calls `parse` with those that are ready for the parser.
    ///
    /// - Throws: `TransportError` if the bytes are not the start of a response; further ones are dropped.
    func take(_ bytes: ByteBuffer, parse: (ByteBuffer) -> Void) throws(TransportError) {
        guard !isBroken else { return }
        guard expectsHead else { return parse(bytes) }
        var bytes = bytes
        if var head = held.take() {
            head.writeBuffer(&bytes)
            bytes = head
        }
        while expectsHead {
            if let problem = TransportError(ResponseStart(bytes.readableBytesView)) {
                isBroken = true
                throw problem
            }
            guard let end = HeadRepair.end(of: bytes.readableBytesView) else {
                guard bytes.readableBytes > Self.largestHead else {
                    held = bytes
                    return
                }
                expectsHead = false
                break
            }
            // Any number of interim responses may come first (RFC 9110, section 15.2), but after 101 another protocol
            // follows.
            let status = bytes.getBytes(at: bytes.readerIndex + 9, length: 3)
            let isInterim = status?.first == UInt8(ascii: "1") && status != Array("101".utf8)
            expectsHead = isInterim
            if end.isClean {
                if !isInterim || bytes.readableBytes == end.count { break }
                if let head = bytes.readSlice(length: end.count) { parse(head) }
            } else if let head = bytes.readBytes(length: end.count) {
                parse(ByteBuffer(bytes: HeadRepair.repaired(head)))
            }
        }
        if bytes.readableBytes > 0 { parse(bytes) }
    }

    /// Returns a head that has no end, once, when no more bytes follow.
    func rest() -> ByteBuffer? { held.take() }
}

/// Passes the bytes of a connection of AsyncHTTPClient through `HeadRepairs`.
///
/// The handler is placed before the parser, seen from the socket. A request passes it on its way out.
final class HeadRepairHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Any

    private let repairs = HeadRepairs()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        repairs.expectHead()
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(TransportError) {
            try repairs.take(unwrapInboundIn(data)) { context.fireChannelRead(wrapInboundOut($0)) }
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { release(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func release(_ context: ChannelHandlerContext) {
        if let head = repairs.rest() { context.fireChannelRead(wrapInboundOut(head)) }
    }
}
