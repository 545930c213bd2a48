import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// Makes a new connection ready: HTTP/1.1 that may become WebSocket with its first request.
struct ConnectionSetup: Sendable {
    let mounts: [WebSocketMount]
    let box: GateBox
    let limit: AnswerLimit
    let open: OpenConnections
    let logger: Logger

    /// How long the first request's head may take, and how long a connection without a request lives.
    static let patience = TimeAmount.seconds(15)
    /// The largest header field, and the largest head.
    static let largestHead = 32 * 1024

    /// Sets handlers up; what the connection becomes is known when its first request's head is there.
    func setUp(_ channel: any Channel) -> EventLoopFuture<NewConnection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(AnswerLimitHandler(limit))
            let place = open.enter(channel)
            let upgraders = mounts.isEmpty ? [] : [upgrader(place)]
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                    upgraders: upgraders, notUpgradingCompletionHandler: { http($0, place) }))
            configuration.enablePipelining = false
            configuration.enableErrorHandling = false
            configuration.decoderConfiguration.maxHeaderFieldSize = Self.largestHead
            configuration.decoderConfiguration.maxHeaderListSize = Self.largestHead
            configuration.decoderConfiguration.maxHeaderFieldCount = 100
            let future = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
                configuration: configuration)
            // One who sends a head byte by byte is not waited for.
            let tooLate = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
            return NewConnection(channel: channel, future: future.always { _ in tooLate.cancel() })
        }
    }

    private func http(
        _ channel: any Channel, _ place: OpenConnections.Place
    ) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(RequestMark(place))
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: .nanoseconds(Self.patience.nanoseconds), logger: logger))
            return .http(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
        }
    }

    private func upgrader(_ place: OpenConnections.Place) -> any NIOTypedHTTPServerProtocolUpgrader<Connection> {
        let largest = mounts.map(\.largestFrame).max() ?? 0
        return NIOTypedWebSocketServerUpgrader<Connection>(
            maxFrameSize: largest, enableAutomaticErrorHandling: true,
            shouldUpgrade: { channel, head in
                let isAllowed = mount(for: head) != nil
                return channel.eventLoop.makeSucceededFuture(isAllowed ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    guard let mount = mount(for: head) else { throw ChannelError.operationUnsupported }
                    place.begin()
                    // Many tiny fragments cost more than they carry; browsers send none.
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 64, maxAccumulatedFrameCount: 1024,
                            maxAccumulatedFrameSize: mount.largestFrame))
                    return .webSocket(try NIOAsyncChannel(wrappingChannelSynchronously: channel), mount)
                }
            })
    }

    /// What serves a request to speak WebSocket, if it may pass the gate.
    private func mount(for head: HTTPRequestHead) -> WebSocketMount? {
        let path = head.uri.prefix { $0 != "?" }
        guard let mount = mounts.first(where: { $0.path == path }), let gate = box.gate,
            let request = try? HTTPRequest(head, secure: false, splitCookie: false),
            gate.refusal(of: request, under: .host) == nil, gate.refusal(of: request, under: mount.rule) == nil
        else { return nil }
        return mount
    }
}
