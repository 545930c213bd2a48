import NIOCore
import NIOPosix

/// One connection to a `TestProxy`: reads the request, connects to the destination, and relays bytes in both
/// directions.
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let kind: TestProxy.Kind
    private let refuses: Bool
    private let seen: TestProxy.Seen
    private var waiting = ByteBuffer()
    private var hasGreeted = false
    /// The channel to which all further bytes are relayed.
    private var tunnel: (any Channel)?
    /// The channel to which requests are forwarded.
    private var origin: (authority: String, channel: any Channel)?
    private var isConnecting = false

    init(_ kind: TestProxy.Kind, refuses: Bool, seen: TestProxy.Seen) {
        self.kind = kind
        self.refuses = refuses
        self.seen = seen
    }

    func channelActive(context: ChannelHandlerContext) { work(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        if let tunnel { return tunnel.writeAndFlush(bytes, promise: nil) }
        waiting.writeBuffer(&bytes)
        work(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        tunnel?.close(promise: nil)
        origin?.channel.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func work(_ context: ChannelHandlerContext) {
        guard !isConnecting, tunnel == nil else { return }
        switch kind {
        case .relay(let port): connect(context, "127.0.0.1", port, greeting: "")
        case .socks5: socks(context, method: 0)
        case .socks5WithLogin: socks(context, method: 0xFF)
        case .http(let authorization): http(context, authorization)
        }
    }

    private func http(_ context: ChannelHandlerContext, _ authorization: String?) {
        guard let text = nextHead() else { return }
        seen.add(text)
        let lines = text.components(separator: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return response(context, "400 Bad Request") }
        let said = lines.first { $0.lowercased().hasPrefix("proxy-authorization: basic ") }?.dropFirst(27)
        if let authorization, said.map(String.init) != authorization {
            return response(
                context, "407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"test\"\r\n")
        }
        if refuses { return response(context, "403 Forbidden") }
        let isTunnel = words[0] == "CONNECT"
        let url = isTunnel ? words[1] : String(words[1].dropFirst("http://".count))
        let authority = String(url.prefix { $0 != "/" })
        let (host, port) = Self.place(authority)
        if isTunnel { return connect(context, host, port, greeting: "HTTP/1.1 200 Connection established\r\n\r\n") }
        let kept = lines.dropFirst().filter { !$0.lowercased().hasPrefix("proxy-") }
        let head = (["GET \(url.dropFirst(authority.count)) HTTP/1.1"] + kept).joined(separator: "\r\n")
        forward(context, ByteBuffer(string: head), to: authority, host, port)
    }

    private func nextHead() -> String? {
        guard let view = waiting.viewBytes(at: waiting.readerIndex, length: waiting.readableBytes) else { return nil }
        let end = view.indices.dropLast(3).first { Array(view[$0..<($0 + 4)]) == [13, 10, 13, 10] }
        return end.flatMap { waiting.readString(length: $0 + 4 - view.startIndex) }
    }

    private func response(_ context: ChannelHandlerContext, _ status: String, _ header: String = "") {
        let text = "HTTP/1.1 \(status)\r\n\(header)Content-Length: 0\r\nConnection: close\r\n\r\n"
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    private func socks(_ context: ChannelHandlerContext, method: UInt8) {
        if !hasGreeted {
            guard let count = waiting.getInteger(at: waiting.readerIndex + 1, as: UInt8.self),
                waiting.readSlice(length: Int(count) + 2) != nil
            else { return }
            hasGreeted = true
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: [5, method])), promise: nil)
        }
        guard let place = socksPlace() else { return }
        seen.add("\(place.host):\(place.port)")
        guard !refuses else {
            let refusal = ByteBuffer(bytes: [5, 2, 0, 1, 0, 0, 0, 0, 0, 0])
            return context.writeAndFlush(Self.wrapOutboundOut(refusal), promise: nil)
        }
        connect(context, place.host, place.port, greeting: "\u{5}\0\0\u{1}\0\0\0\0\0\0")
    }

    /// Reads a SOCKS request (RFC 1928, section 4): version, command, a zero, the kind of address, the address, the
    /// port.
    private func socksPlace() -> (host: String, port: Int)? {
        var bytes = waiting
        guard let head = bytes.readBytes(length: 4) else { return nil }
        let host: String?
        switch head[3] {
        case 3: host = bytes.readInteger(as: UInt8.self).flatMap { bytes.readString(length: Int($0)) }
        case let kind:
            host = bytes.readSlice(length: kind == 1 ? 4 : 16)
                .flatMap { try? SocketAddress(packedIPAddress: $0, port: 0).ipAddress }
        }
        guard let host, let port = bytes.readInteger(as: UInt16.self) else { return nil }
        waiting = bytes
        return (host, Int(port))
    }
}

/// Connecting and relaying.
extension ProxyHandler {
    private func connect(_ context: ChannelHandlerContext, _ host: String, _ port: Int, greeting: String) {
        open(context, host, port) { me, context, channel in
            if !greeting.isEmpty {
                context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: greeting)), promise: nil)
            }
            me.tunnel = channel
            if me.waiting.readableBytes > 0 { channel.writeAndFlush(me.waiting, promise: nil) }
            me.waiting = ByteBuffer()
        }
    }

    private func forward(
        _ context: ChannelHandlerContext, _ head: ByteBuffer, to authority: String, _ host: String, _ port: Int
    ) {
        if let origin, origin.authority == authority, origin.channel.isActive {
            origin.channel.writeAndFlush(head, promise: nil)
            return work(context)
        }
        open(context, host, port) { me, context, channel in
            me.origin = (authority, channel)
            channel.writeAndFlush(head, promise: nil)
            me.work(context)
        }
    }

    private func open(
        _ context: ChannelHandlerContext, _ host: String, _ port: Int,
        _ then: @escaping @Sendable (ProxyHandler, ChannelHandlerContext, any Channel) -> Void
    ) {
        isConnecting = true
        let back = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ReturnHandler(to: back))
                }
            }
            .connect(host: host.hasSuffix(".test") ? "127.0.0.1" : host, port: port)
            .whenComplete { result in
                let (me, context) = bound.value
                me.isConnecting = false
                switch result {
                case .success(let channel): then(me, context, channel)
                case .failure: me.response(context, "502 Bad Gateway")
                }
            }
    }

    private static func place(_ authority: String) -> (String, Int) {
        let parts = authority.split(separator: ":")
        guard let port = parts.last.flatMap({ Int($0) }), parts.count > 1 else { return (authority, 80) }
        let host = parts.dropLast().joined(separator: ":")
        return (host.hasPrefix("[") ? String(authority.dropFirst().prefix { $0 != "]" }) : host, port)
    }
}

/// Relays the server's bytes to the client.
private final class ReturnHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let client: any Channel

    init(to client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(Self.unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension String {
    fileprivate func components(separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
