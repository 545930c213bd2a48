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

/// Sets up a new connection: HTTP/1.1 that may become WebSocket with its first request.
struct ConnectionSetup: Sendable {
    let mounts: [WebSocketMount]
    let box: GateBox
    let limit: OutboundBuffers
    let open: ServerConnections
    let logger: Logger

    /// The maximum time for the first request's head, and for a connection without a request.
    static let patience = TimeAmount.seconds(15)
    /// The maximum size of a head, and the maximum number of its lines.
    static let limits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize) = (32 * 1024, 32 * 1024)
        limits.maxHeaderFieldCount = 256
        return limits
    }()

    /// Adds the handlers; the first request's head decides the protocol of the connection.
    func setUp(_ channel: any Channel) -> EventLoopFuture<NewConnection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(OutboundBufferHandler(limit))
            let slot = open.enter(channel)
            let future = try RequestFront.configure(
                channel, RequestFront.Rules(admitsWebSocket: admitsWebSocket, render: Self.render),
                limits: Self.limits, upgraders: mounts.isEmpty ? [] : [upgrader(slot)], http: { http($0, slot) })
            // Limits how long a client may take to send its first request head (slowloris).
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
            // Already decided by `RequestFront`.
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

    /// Decides if a WebSocket request is accepted: only at the paths of the mounts, and only if it passes the gate.
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

    /// Renders the response to a fault, in the form of all error responses.
    private static func render(_ fault: RequestFault) -> (HTTPHeaders, [UInt8]) {
        let code: DownloadError.Code = fault.status == 403 ? .notAuthorized : .invalidRequest
        let error = DownloadError(code, fault.message)
        let response = Response.failure(Refusal(.init(code: fault.status), error)).hardened()
        return (HTTPHeaders(response.headers), Array((try? WireJSON.encode(error)) ?? Data()))
    }
}

/// The protocol of a connection, as decided by its first request.
enum ServedConnection: Sendable {
    /// HTTP.
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    /// WebSocket, for the protocol of a mount.
    case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, WebSocketMount)
}

/// A connection before its first request.
struct NewConnection: Sendable {
    /// The connection.
    let channel: any Channel
    /// The future protocol of the connection.
    let future: EventLoopFuture<ServedConnection>
}
