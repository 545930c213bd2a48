import HaulTransport
import NIOCore
import NIOSSL
import NIOTLS

/// Completes a promise when the TLS handshake has succeeded or failed.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private var done: EventLoopPromise<Void>?

    init(done: EventLoopPromise<Void>) { self.done = done }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { end(nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(TransportError.explained(error, by: context.pipeline.syncOperations))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(TransportError(.cut, "the server closed the connection during the TLS handshake"))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(ChannelError.alreadyClosed) }

    private func end(_ failure: (any Error)?) {
        let promise = done
        done = nil
        if let failure { promise?.fail(failure) } else { promise?.succeed() }
    }
}

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
