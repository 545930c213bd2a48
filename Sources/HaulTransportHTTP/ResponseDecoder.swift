import HaulTransport
import NIOCore
import NIOHTTP1

/// Decodes the responses on one of Haul's own connections: `HeadRepairs`, then NIO's parser.
///
/// It does in one handler what HeadRepairHandler, NIO's ByteToMessageHandler and an encoder would do in three. For the
/// first handler of each type, Swift's runtime searches all conformances of the program several times, which took a
/// third of the processor time of `haul get` for a small file: see the decision on what a small file costs.
final class ResponseDecoder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = HTTPClientResponsePart

    private enum State {
        case ready
        /// The parser is running. What it delivers may send the next request, receive bytes, or end the connection.
        case parsing
        /// As `parsing`, but no more bytes will be received.
        case parsingLast
        /// The parser has failed, or no more bytes will be received.
        case ended
    }

    private let repairs = HeadRepairs()
    private let parser = HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)
    private var state = State.ready
    /// Bytes that the parser has not taken.
    private var unparsed = ByteBuffer()
    /// The number of requests that were sent while the parser was running.
    private var sent = 0
    /// A request for the parser, which must know the method: it determines the possible responses.
    private static let request = HTTPClientRequestPart.head(
        HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"))

    /// Expects the response to a GET.
    ///
    /// The bytes that the parser has at this moment are not part of it: a response that nobody requested must not be
    /// taken for the next one.
    func expectResponse() {
        repairs.expectHead()
        if state == .ready { parser.write(data: Self.request) } else { sent += 1 }
    }

    /// Expects nothing, because the response has ended.
    func expectNothing() { repairs.expectNothing() }

    /// See `HeadRepairs`.
    func mayBeMixed(_ head: HTTPResponseHead) -> Bool { repairs.mayBeMixed(head) }

    func handlerAdded(context: ChannelHandlerContext) { parser.decoderAdded(context: context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        state = .ended
        parser.decoderRemoved(context: context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(TransportError) {
            try repairs.take(unwrapInboundIn(data)) { parse($0, context) }
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { end(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func parse(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard state != .ended else { return }
        var bytes = bytes
        if unparsed.readableBytes == 0 { unparsed = bytes } else { unparsed.writeBuffer(&bytes) }
        guard state == .ready else { return }
        state = .parsing
        run(context)
    }

    private func end(_ context: ChannelHandlerContext) {
        if let head = repairs.rest() { parse(head, context) }
        switch state {
        case .ready:
            state = .parsingLast
            run(context)
        case .parsing: state = .parsingLast
        case .parsingLast, .ended: break
        }
    }

    /// Runs the parser until it has taken all bytes that it can take, also those that arrive meanwhile.
    private func run(_ context: ChannelHandlerContext) {
        do {
            var left = 0
            while state == .parsing, unparsed.readableBytes > left {
                var bytes = ByteBuffer()
                swap(&bytes, &unparsed)
                _ = try parser.decode(context: context, buffer: &bytes)
                for _ in 0..<sent { parser.write(data: Self.request) }
                sent = 0
                left = bytes.readableBytes
                guard left > 0 else { continue }
                bytes.writeBuffer(&unparsed)
                unparsed = bytes
            }
            if state == .parsing { state = .ready }
            guard state == .parsingLast else { return }
            _ = try parser.decodeLast(context: context, buffer: &unparsed, seenEOF: true)
            state = .ended
        } catch {
            state = .ended
            context.fireErrorCaught(error)
        }
    }
}
