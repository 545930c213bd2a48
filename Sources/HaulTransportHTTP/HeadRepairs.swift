import HaulCore
import HaulTransport
import NIOCore
import NIOHTTP1

/// Hands the bytes of a connection to NIO's parser: each head with the repairs of `HeadRepair`, everything else
/// unchanged.
///
/// NIO decodes values as UTF-8 and replaces all other bytes with U+FFFD, after which a file name cannot be repaired.
final class HeadRepairs {
    /// The size above which a head is left to the parser.
    private static let largestHead = 128 << 10
    /// The limit on all interim responses to a request together; the parser has none.
    private static let largestInterim = 128 << 10

    private enum Expected {
        /// A head; also before the first request, because a server of another protocol may send a greeting at once.
        case head
        /// The rest of a response.
        case rest
        /// Nothing: the response is complete, and no request was sent since.
        case nothing
    }

    private var expected = Expected.head
    private var isFirstResponse = true
    /// The status of the last head; nil if it is unknown.
    private var status: UInt?
    private var isBroken = false
    /// The number of bytes of interim responses since the last request.
    private var interimBytes = 0
    /// The first bytes of an incomplete head.
    private var held: ByteBuffer?

    /// Expects a head next, because a request was sent.
    func expectHead() { (expected, interimBytes) = (.head, 0) }

    /// Expects nothing, because the response has ended.
    func expectNothing() { (expected, isFirstResponse) = (.nothing, false) }

    /// Returns true if a head that the parser has delivered, on a connection that was used before, may begin with bytes of a
    /// response that nobody has requested.
    func mayBeMixed(_ head: HTTPResponseHead) -> Bool {
        head.containsStatusLine || status.map { $0 != head.status.code } ?? false
    }

    /// Takes bytes that were received, and calls `parse` with those that are ready for the parser.
    ///
    /// - Throws: `TransportError` if the bytes are not the start of a response; further ones are dropped.
    func take(_ bytes: ByteBuffer, parse: (ByteBuffer) -> Void) throws(TransportError) {
        guard !isBroken else { return }
        switch expected {
        case .head: break
        case .rest: return parse(bytes)
        case .nothing:
            // Some servers send a line end too many; anything else might become a part of the next response.
            guard bytes.readableBytesView.contains(where: { $0 != 0x0D && $0 != 0x0A }) else { return }
            isBroken = true
            throw .leftover
        }
        var bytes = bytes
        if var head = held.take() {
            head.writeBuffer(&bytes)
            bytes = head
        }
        while expected == .head {
            if let problem = TransportError(ResponseStart(bytes.readableBytesView)) {
                isBroken = true
                throw problem
            }
            // Any number of interim responses may come first (RFC 9110, section 15.2), but after 101 another protocol
            // follows.
            let code = bytes.getBytes(at: bytes.readerIndex + 9, length: 3) ?? []
            let isInterim = code.first == UInt8(ascii: "1") && code != Array("101".utf8)
            let end = HeadRepair.end(of: bytes.readableBytesView)
            guard !isInterim || interimBytes + (end?.count ?? bytes.readableBytes) <= Self.largestInterim else {
                isBroken = true
                throw TransportError(.headTooLarge, "limit: 128 KiB for interim responses")
            }
            guard let end else {
                guard bytes.readableBytes > Self.largestHead else {
                    held = bytes
                    return
                }
                (expected, status) = (.rest, nil)
                break
            }
            let line = bytes.readableBytesView.prefix(end.count).prefix { $0 != 0x0A }
            guard isFirstResponse || line.dropFirst().firstRange(of: "HTTP/".utf8) == nil else {
                isBroken = true
                throw .leftover
            }
            if isInterim { interimBytes += end.count }
            status = UInt(String(decoding: code, as: UTF8.self))
            expected = isInterim ? .head : .rest
            if end.isClean {
                if !isInterim || bytes.readableBytes == end.count { break }
                if let head = bytes.readSlice(length: end.count) { parse(head) }
            } else if let head = bytes.readBytes(length: end.count) {
                parse(ByteBuffer(bytes: HeadRepair.repaired(head, isFirstResponse: isFirstResponse)))
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

    /// Expects nothing, because the response has ended.
    func expectNothing() { repairs.expectNothing() }

    /// See `HeadRepairs`.
    func mayBeMixed(_ head: HTTPResponseHead) -> Bool { repairs.mayBeMixed(head) }

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
