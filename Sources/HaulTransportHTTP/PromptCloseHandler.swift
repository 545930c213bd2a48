import NIOCore
import NIOSSL

/// Closes a TLS connection at once, without waiting for the other side's farewell.
///
/// NIOSSL sends its close_notify and then reads, deciphers and discards whatever the server still sends, for up to five seconds. A server in the
/// middle of an answer goes on with it: a segment that was cut short at a quarter of a 1 GiB file was measured to cost the other
/// three quarters. Nothing that still comes is wanted here, and truncation is noticed by the length of the answer, so the farewell is
/// sent and the connection closed (RFC 8446, 6.1).
///
/// It stands behind the TLS handler, seen from the socket.
final class PromptCloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = Any

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let pipeline = context.pipeline.syncOperations
        context.close(mode: mode, promise: promise)
        guard mode == .all, let tls = try? pipeline.context(handlerType: NIOSSLClientHandler.self) else { return }
        tls.close(mode: .all, promise: nil)
    }
}
