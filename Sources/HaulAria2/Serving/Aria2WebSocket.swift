package import NIOCore
package import NIOWebSocket
import Synchronization

/// aria2's interface over one WebSocket (RFC 6455): calls are answered in order, and notifications are sent between the
/// responses.
package enum Aria2WebSocket {
    /// The channel of frames.
    package typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    /// Makes an upgraded channel aggregate frames, up to the maximum size of requests.
    package static func frames(_ channel: any Channel, maxBytes: Int) throws -> Frames {
        // Many tiny fragments cost more than they carry; browsers send none.
        try channel.pipeline.syncOperations.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 64, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: maxBytes))
        return try Frames(wrappingChannelSynchronously: channel)
    }

    /// Serves a client until it disconnects, or the task is cancelled.
    ///
    /// - Parameter notifiesAtOnce: True if it receives notifications before it has sent the secret: see
    ///   `Aria2HTTP.notifiesAtOnce(_:)`.
    package static func serve(_ channel: Frames, _ rpc: Aria2RPC, notifiesAtOnce: Bool) async throws {
        let notifications = Aria2Notifications(rpc.manager)
        let (admissions, admission) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        if notifiesAtOnce { admission.yield() }
        try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    for try await frame in inbound {
                        guard try await take(frame, rpc, outbound, admission) else { return }
                    }
                }
                tasks.addTask { try await report(notifications, to: outbound, after: admissions) }
                // A client that has closed receives no further notifications.
                try await tasks.next()
                tasks.cancelAll()
            }
        }
    }

    /// Handles a frame.
    ///
    /// - Returns: False if the client has closed.
    private static func take(
        _ frame: WebSocketFrame, _ rpc: Aria2RPC, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        _ admission: AsyncStream<Void>.Continuation
    ) async throws -> Bool {
        switch frame.opcode {
        case .text, .binary:
            let reply = await rpc.response(Array(frame.unmaskedData.readableBytesView))
            try await outbound.write(text(reply.body))
            if reply.isAuthorized { admission.yield() }
        case .ping:
            try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
        case .connectionClose:
            var data = frame.unmaskedData
            let code = data.readSlice(length: 2) ?? ByteBuffer()
            try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: code))
            return false
        default: break
        }
        return true
    }

    /// Sends notifications once the client is admitted; returns only when there are no further ones.
    private static func report(
        _ notifications: Aria2Notifications, to outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        after admissions: AsyncStream<Void>
    ) async throws {
        for await _ in admissions { break }
        for await next in notifications { try await outbound.write(text(Array(next.text.utf8))) }
    }

    private static func text(_ bytes: [UInt8]) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: bytes))
    }
}
