import NIOCore
import NIOSSL

/// Closes a TLS connection at once, without waiting for the peer's close_notify.
///
/// NIOSSL sends its close_notify and then reads, decrypts and discards whatever the server still sends, for up to five
/// seconds. A server in the middle of a response continues it: cutting a segment short at a quarter of a 1 GiB file was
/// measured to transfer the other three quarters as well. Nothing that still arrives is wanted here, and truncation is
/// detected by the length of the response, so close_notify is sent and the connection closed (RFC 8446, 6.1).
///
/// The handler is placed after the TLS handler, seen from the socket.
final class PromptCloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = Any

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let pipeline = context.pipeline.syncOperations
        context.close(mode: mode, promise: promise)
        guard mode == .all, let tls = try? pipeline.context(handlerType: NIOSSLClientHandler.self) else { return }
        tls.close(mode: .all, promise: nil)
    }
}
