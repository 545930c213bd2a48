import HTTPTypes
import HaulCore
import HaulHTTPServing
import HaulWire
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes a new connection ready: HTTP/1.1 that may become WebSocket with its first request.
struct ConnectionSetup: Sendable {
    let mounts: [WebSocketMount]
    let box: GateBox
    let limit: OutboundBuffers
    let open: ServerConnections
    let logger: Logger

    /// How long the first request's head may take, and how long a connection without a request lives.
    static let patience = TimeAmount.seconds(15)
    /// The largest head, and the largest number of lines in it.
    static let limits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize) = (32 * 1024, 32 * 1024)
        limits.maxHeaderFieldCount = 256
        return limits
    }()

    /// Sets handlers up; what the connection becomes is known when its first request's head is there.
    func setUp(_ channel: any Channel) -> EventLoopFuture<NewConnection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(OutboundBufferHandler(limit))
            let slot = open.enter(channel)
            let future = try RequestFront.configure(
                channel, RequestFront.Rules(admitsWebSocket: admitsWebSocket, render: Self.render),
                limits: Self.limits, upgraders: mounts.isEmpty ? [] : [upgrader(slot)], http: { http($0, slot) })
            // One who sends a head byte by byte is not waited for.
            let tooLate = channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
            return NewConnection(channel: channel, future: future.always { _ in tooLate.cancel() })
        }
    }

    private func http(
        _ channel: any Channel, _ slot: ServerConnections.Slot
    ) -> EventLoopFuture<ServedConnection> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(RequestMark(slot))
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: .nanoseconds(Self.patience.nanoseconds), logger: logger))
            return .http(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
        }
    }

    private func upgrader(_ slot: ServerConnections.Slot) -> NIOTypedWebSocketServerUpgrader<ServedConnection> {
        let largest = mounts.map(\.largestFrame).max() ?? 0
        return NIOTypedWebSocketServerUpgrader<ServedConnection>(
            maxFrameSize: largest, enableAutomaticErrorHandling: true,
            // The front has decided it.
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    guard let mount = mount(for: head) else { throw ChannelError.operationUnsupported }
                    slot.begin()
                    // Many tiny fragments cost more than they carry; browsers send none.
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 64, maxAccumulatedFrameCount: 1024,
                            maxAccumulatedFrameSize: mount.largestFrame))
                    return .webSocket(try NIOAsyncChannel(wrappingChannelSynchronously: channel), mount)
                }
            })
    }

    /// Decides whether a request to speak WebSocket gets one: at the paths of the mounts, if it may pass the gate.
    private func admitsWebSocket(_ head: HTTPRequestHead) throws(RequestFault) -> Bool {
        guard let mount = mount(for: head), let gate = box.gate else { return false }
        guard let request = try? HTTPRequest(head, secure: false, splitCookie: false) else {
            throw RequestFault(400, "the request is not valid HTTP/1.1")
        }
        if let refusal = gate.refusal(of: request, under: .host) ?? gate.refusal(of: request, under: mount.rule) {
            throw RequestFault(refusal.status.code, refusal.error.message)
        }
        return true
    }

    private func mount(for head: HTTPRequestHead) -> WebSocketMount? {
        let path = head.uri.prefix { $0 != "?" }
        return mounts.first { $0.path == path }
    }

    /// The answer to a fault, as the answers to all failed requests are.
    private static func render(_ fault: RequestFault) -> (HTTPHeaders, [UInt8]) {
        let code: DownloadError.Code = fault.status == 403 ? .notAuthorized : .invalidRequest
        let error = DownloadError(code, fault.message)
        let response = Response.failure(Refusal(.init(code: fault.status), error)).hardened()
        return (HTTPHeaders(response.headers), Array((try? WireJSON.encode(error)) ?? Data()))
    }
}

/// What a connection has become by its first request.
enum ServedConnection: Sendable {
    /// One that speaks HTTP.
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    /// One that speaks another protocol's frames.
    case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, WebSocketMount)
}

/// A connection whose first request has not come yet.
struct NewConnection: Sendable {
    /// The connection.
    let channel: any Channel
    /// What it will have become.
    let future: EventLoopFuture<ServedConnection>
}
