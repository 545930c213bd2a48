import HaulTransport
import NIOCore
import NIOSSL

/// The parameters that turn a connection to a proxy into one to an origin, over TLS.
struct Tunnel: Sendable {
    /// The proxy.
    let proxy: Proxy
    /// The origin's host and port.
    let authority: String
    /// The name that TLS requests and NIOSSL compares; nil if the host is an address.
    let serverName: String?
    /// The TLS context.
    let context: NIOSSLContext
    /// The time limit for all steps.
    let timeout: TimeAmount

    /// Sets up the tunnel on a new connection to the proxy, below all HTTP handlers.
    ///
    /// On failure the connection is closed.
    func make(on channel: any Channel) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        let isLate = loop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        let established = loop.makePromise(of: Void.self)
        return loop.submit {
            let handler = TunnelHandler(to: authority, by: proxy, established: established)
            Self.add([handler], to: channel, for: established)
        }
        .flatMap { established.futureResult }
        .flatMap { Self.remove(TunnelHandler.self, from: channel) }
        .flatMap { self.secure(channel) }
        .always { _ in isLate.cancel() }
        .flatMapError { error in
            channel.close(promise: nil)
            return loop.makeFailedFuture(error)
        }
    }

    private func secure(_ channel: any Channel) -> EventLoopFuture<Void> {
        let done = channel.eventLoop.makePromise(of: Void.self)
        do {
            let tls = try NIOSSLClientHandler(context: context, serverHostname: serverName)
            Self.add([tls, HandshakeHandler(done: done)], to: channel, for: done)
        } catch {
            done.fail(error)
        }
        return done.futureResult.flatMap { Self.remove(HandshakeHandler.self, from: channel) }
    }

    /// Adds handlers next to the socket; on failure, fails the promise that they were to complete.
    private static func add(
        _ handlers: [any ChannelHandler], to channel: any Channel, for promise: EventLoopPromise<Void>
    ) {
        do {
            try channel.pipeline.syncOperations.addHandlers(handlers, position: .first)
        } catch {
            promise.fail(error)
        }
    }

    private static func remove<Handler: RemovableChannelHandler>(
        _ type: Handler.Type, from channel: any Channel
    ) -> EventLoopFuture<Void> {
        do {
            let pipeline = channel.pipeline.syncOperations
            return pipeline.removeHandler(context: try pipeline.context(handlerType: type))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }
}
