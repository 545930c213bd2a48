import HaulTransport
import NIOCore
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
