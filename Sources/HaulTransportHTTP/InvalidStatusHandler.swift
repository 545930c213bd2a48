import HaulTransport
package import NIOCore
package import NIOHTTP1

/// Ends a connection whose server sends a status below 100, which does not exist (RFC 9110, section 15).
///
/// AsyncHTTPClient takes such a response for an interim one, and does not survive its body.
package final class InvalidStatusHandler: ChannelInboundHandler {
    package typealias InboundIn = HTTPClientResponsePart
    package typealias InboundOut = HTTPClientResponsePart

    private var isBroken = false

    /// Adds a handler after the decoder of a connection.
    package static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(InvalidStatusHandler(), position: .after(decoder))
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isBroken = true
            let problem = "it has the status \(head.status.code), which does not exist"
            context.fireErrorCaught(TransportError(.badResponse, problem))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
