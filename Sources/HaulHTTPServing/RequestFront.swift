package import NIOCore
package import NIOHTTP1
package import NIOWebSocket

/// A handler after the parser that answers invalid HTTP at once and does not pass it on.
///
/// It also decides which requests may change the protocol. All others lose their `Upgrade` and are answered as plain
/// HTTP/1.1 (RFC 9110, section 7.8: a server may ignore the field), with `Connection: close`, because the parser stops
/// after such a request.
package final class RequestFront: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// The rules of a server.
    package struct Rules: Sendable {
        /// Decides whether a valid request for a WebSocket gets one; false if it is treated as a plain request.
        package var admitsWebSocket: @Sendable (HTTPRequestHead) throws(RequestFault) -> Bool
        /// Returns the body of the response to a fault, and its headers.
        package var render: @Sendable (RequestFault) -> (headers: HTTPHeaders, body: [UInt8])

        /// Creates rules.
        package init(
            admitsWebSocket: @escaping @Sendable (HTTPRequestHead) throws(RequestFault) -> Bool,
            render: @escaping @Sendable (RequestFault) -> (headers: HTTPHeaders, body: [UInt8])
        ) { (self.admitsWebSocket, self.render) = (admitsWebSocket, render) }
    }

    private let rules: Rules
    private var exchanges = Exchanges()
    private var fault: RequestFault?
    private var isHead = false
    private var isFirst = true

    /// The time in which the client may read the response to a fault before the connection is closed.
    private static let patience = TimeAmount.seconds(1)

    private init(_ rules: Rules) { self.rules = rules }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard exchanges.reads else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head): take(head, context)
        case .body: context.fireChannelRead(data)
        case .end:
            exchanges.complete()
            context.fireChannelRead(data)
        }
    }

    private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isHead = head.method == .HEAD
        do throws(RequestFault) {
            var head = try RequestHead.checked(head)
            var upgrades = false
            if isFirst, RequestHead.asksForWebSocket(head) { upgrades = try rules.admitsWebSocket(head) }
            if upgrades { try RequestHead.checkHandshake(head) }
            let isLast = !upgrades && (head.headers.contains(name: "Upgrade") || head.method == .CONNECT)
            if !upgrades { head.headers.remove(name: "Upgrade") }
            isFirst = false
            exchanges.begin(isLast: isLast)
            context.fireChannelRead(Self.wrapInboundOut(.head(head)))
        } catch {
            fail(error, context)
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            // The parser repeats its error for each piece of input that follows.
            return exchanges.reads ? context.fireErrorCaught(error) : ()
        }
        // The end of a connection within a request needs no response.
        guard error != .invalidEOFState, exchanges.reads else { return }
        fail(RequestFault(error), context)
    }

    private func fail(_ fault: RequestFault, _ context: ChannelHandlerContext) {
        self.fault = fault
        follow(exchanges.fail(), context)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard exchanges.writes else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
        switch Self.unwrapOutboundIn(data) {
        case .head(let head) where head.status.code < 200: context.write(data, promise: promise)
        case .head(var head):
            exchanges.beginResponse()
            if exchanges.isLastResponse { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            context.write(data, promise: written)
            follow(exchanges.completeResponse(), context, after: written.futureResult)
        }
    }

    /// Performs a step.
    ///
    /// Data written before it is sent in any case.
    private func follow(
        _ step: Exchanges.Step, _ context: ChannelHandlerContext, after written: EventLoopFuture<Void>? = nil
    ) {
        switch step {
        case .pass: return
        case .close:
            context.flush()
            linger(context, after: written)
        case .response:
            guard let fault else { return }
            let (headers, body) = rules.render(fault)
            var head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: fault.status), headers: headers)
            for field in fault.headers { head.headers.replaceOrAdd(name: field.name, value: field.value) }
            head.headers.replaceOrAdd(name: "Content-Length", value: String(body.count))
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
            if !isHead {
                context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            }
            linger(context, after: context.writeAndFlush(Self.wrapOutboundOut(.end(nil))))
        }
    }

    /// Closes after the last response was sent, and reads for a moment: a connection that is closed with unread bytes
    /// is reset, and the response may be lost.
    private func linger(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>?) {
        let channel = context.channel
        let written = written ?? context.eventLoop.makeSucceededVoidFuture()
        written.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        context.read()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, exchanges.isAnsweredEarly else { return context.close(mode: mode, promise: promise) }
        exchanges.end()
        linger(context, after: nil)
        context.channel.closeFuture.cascade(to: promise)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if !exchanges.reads { context.read() }
    }

    /// Configures a connection for HTTP/1.1 that may become a WebSocket with its first request.
    ///
    /// - Returns: The resulting type of connection, after the head of its first request was received.
    package static func configure<Value: Sendable>(
        _ channel: any Channel, _ rules: Rules, limits: NIOHTTPDecoderLimitConfiguration,
        upgraders: [NIOTypedWebSocketServerUpgrader<Value>],
        http: @escaping @Sendable (any Channel) -> EventLoopFuture<Value>
    ) throws -> EventLoopFuture<Value> {
        let pipeline = channel.pipeline.syncOperations
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits))
        let validator = NIOHTTPResponseHeadersValidator()
        let front = RequestFront(rules)
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(decoder)
        try pipeline.addHandler(validator)
        try pipeline.addHandler(front)
        let upgrader = NIOTypedHTTPServerUpgradeHandler<Value>(
            httpEncoder: encoder, extraHTTPHandlers: [decoder, validator, front],
            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: upgraders, notUpgradingCompletionHandler: http))
        try pipeline.addHandler(upgrader)
        return upgrader.upgradeResultFuture
    }
}

@available(*, unavailable)
extension RequestFront: Sendable {}
