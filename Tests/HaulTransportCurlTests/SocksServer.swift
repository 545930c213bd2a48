import NIOCore
import NIOPosix
import Synchronization

/// A SOCKS proxy on 127.0.0.1: versions 4, 4a and 5, with user name and password if it is told one (RFC 1928, RFC 1929).
///
/// The name `inside.test` is this machine for it, so that a test can tell who looked a name up.
enum SocksServer {
    /// What it has seen.
    final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Runs a proxy as long as `body` runs.
    ///
    /// - Parameter login: `user:password`, without which nobody gets through.
    static func run(login: String? = nil, _ body: (_ port: Int, _ log: Log) async throws -> Void) async throws {
        let log = Log()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SocksHandler(login: login, log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Void, any Error>
        do { result = .success(try await body(listener.localAddress?.port ?? 0, log)) } catch {
            result = .failure(error)
        }
        try? await listener.close()
        try result.get()
    }
}

/// One client: greeting, login, request, and then bytes both ways.
final class SocksHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase { case greeting, login, request, relaying }

    private let login: String?
    private let log: SocksServer.Log
    private var phase = Phase.greeting
    private var unread = ByteBuffer()
    private var peer: (any Channel)?

    init(login: String?, log: SocksServer.Log) {
        self.login = login
        self.log = log
    }

    func channelActive(context: ChannelHandlerContext) {
        log.add("from \(context.remoteAddress?.ipAddress ?? "nowhere")")
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if case .relaying = phase, let peer { return peer.writeAndFlush(bytes, promise: nil) }
        unread.writeBuffer(&bytes)
        while step(context) {}
    }

    func channelInactive(context: ChannelHandlerContext) { peer?.close(promise: nil) }

    /// Takes one message, if it is all there.
    private func step(_ context: ChannelHandlerContext) -> Bool {
        switch phase {
        case .greeting:
            if unread.getInteger(at: unread.readerIndex, as: UInt8.self) == 4 { return version4(context) }
            guard let head = unread.readBytes(length: 2), let methods = unread.readBytes(length: Int(head[1])) else {
                return false
            }
            let wanted: UInt8 = login == nil ? 0 : 2
            guard methods.contains(wanted) else { return refuse(context, [5, 0xFF]) }
            phase = login == nil ? .request : .login
            send(context, [5, wanted])
        case .login:
            guard unread.readBytes(length: 1) != nil, let user = text(), let password = text() else { return false }
            guard "\(user):\(password)" == login else { return refuse(context, [1, 1]) }
            phase = .request
            send(context, [1, 0])
        case .request:
            guard let head = unread.readBytes(length: 4) else { return false }
            let host = head[3] == 3 ? text() : unread.readBytes(length: 4)?.map(String.init).joined(separator: ".")
            guard let host, let port = unread.readInteger(as: UInt16.self) else { return false }
            connect(context, host, Int(port), yes: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0], no: [5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
        case .relaying: return false
        }
        return true
    }

    private func version4(_ context: ChannelHandlerContext) -> Bool {
        guard unread.readBytes(length: 2) != nil, let port = unread.readInteger(as: UInt16.self),
            let address = unread.readBytes(length: 4), line() != nil
        else { return false }
        // 4a: 0.0.0.x, and the name behind the user.
        let isName = address.prefix(3) == [0, 0, 0]
        let host = isName ? line() ?? "" : address.map(String.init).joined(separator: ".")
        connect(context, host, Int(port), yes: [0, 90, 0, 0, 0, 0, 0, 0], no: [0, 91, 0, 0, 0, 0, 0, 0])
        return true
    }

    private func connect(_ context: ChannelHandlerContext, _ host: String, _ port: Int, yes: [UInt8], no: [UInt8]) {
        log.add("to \(host)")
        let client = context.channel
        let address = host == "inside.test" ? "127.0.0.1" : host
        phase = .relaying
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Relay(to: client))
                }
            }
            .connect(host: address, port: port)
            .whenComplete { result in
                guard let peer = try? result.get() else {
                    client.writeAndFlush(ByteBuffer(bytes: no)).whenComplete { _ in client.close(promise: nil) }
                    return
                }
                handler.value.peer = peer
                client.writeAndFlush(ByteBuffer(bytes: yes), promise: nil)
            }
    }

    private func text() -> String? {
        guard let count = unread.readInteger(as: UInt8.self) else { return nil }
        return unread.readString(length: Int(count))
    }

    private func line() -> String? {
        guard let end = unread.readableBytesView.firstIndex(of: 0) else { return nil }
        let text = unread.readString(length: end - unread.readerIndex)
        unread.moveReaderIndex(forwardBy: 1)
        return text
    }

    private func send(_ context: ChannelHandlerContext, _ bytes: [UInt8]) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private func refuse(_ context: ChannelHandlerContext, _ bytes: [UInt8]) -> Bool {
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { _ in channel.close(promise: nil) }
        phase = .relaying
        return false
    }

    private final class Relay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let client: any Channel
        init(to client: any Channel) { self.client = client }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            client.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }
        func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
    }
}
