import HaulTransport
import NIOCore
import NIOSSL

/// What a connection to a proxy needs to become one to an origin, over TLS.
struct Tunnel: Sendable {
    /// The proxy.
    let proxy: Proxy
    /// The origin's host and port.
    let authority: String
    /// The name that TLS asks for and NIOSSL compares; nil where the host is an address.
    let serverName: String?
    /// What TLS is made with.
    let context: NIOSSLContext
    /// The longest that all of it may take.
    let timeout: TimeAmount

    /// Makes the tunnel on a new connection to the proxy, below all that speaks HTTP; where it fails, the connection is closed.
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

    /// Puts handlers nearest to the socket; a promise that they were to keep is broken where that fails.
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
