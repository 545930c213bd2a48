import NIOCore
import Synchronization

/// The connections of a `TransportConformanceServer`, passed from the event loops to the scripts.
final class TransportConformanceConnections: Sendable {
    private struct State {
        var count = 0
        var open: [ObjectIdentifier: any Channel] = [:]
        var hasEnded = false
    }

    private struct Arrival {
        let number: Int
        let channel: any Channel
        let received: AsyncStream<ByteBuffer>
    }

    private let state = Mutex(State())
    private let arrivals: AsyncStream<Arrival>
    private let arrival: AsyncStream<Arrival>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    /// The number of connections so far.
    var count: Int { state.withLock(\.count) }

    /// Returns the handler for a new channel.
    func receiver() -> some ChannelHandler { Receiver(self) }

    /// Runs a script for each new connection, until cancelled.
    func serve(_ script: @escaping TransportConformanceServer.Script) async {
        await withDiscardingTaskGroup { tasks in
            for await next in arrivals {
                tasks.addTask {
                    let connection = TransportConformanceConnection(
                        number: next.number, channel: next.channel, received: next.received)
                    try? await script(connection)
                    try? await next.channel.close()
                }
            }
        }
    }

    /// Closes all connections, so that waiting scripts fail.
    func end() {
        let channels = state.withLock { state in
            state.hasEnded = true
            return state.open.values
        }
        for channel in channels { channel.close(promise: nil) }
    }

    private func came(_ channel: any Channel, _ received: AsyncStream<ByteBuffer>) {
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded else { return nil }
            state.count += 1
            state.open[ObjectIdentifier(channel)] = channel
            return state.count
        }
        guard let number else { return channel.close(promise: nil) }
        arrival.yield(Arrival(number: number, channel: channel, received: received))
    }

    private func went(_ channel: any Channel) {
        state.withLock { $0.open[ObjectIdentifier(channel)] = nil }
    }

    /// Forwards received data; it accumulates if a script does not read it, which is acceptable because clients only
    /// send requests.
    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let connections: TransportConformanceConnections
        private let received: AsyncStream<ByteBuffer>
        private let receive: AsyncStream<ByteBuffer>.Continuation

        init(_ connections: TransportConformanceConnections) {
            self.connections = connections
            (received, receive) = AsyncStream.makeStream()
        }

        func channelActive(context: ChannelHandlerContext) { connections.came(context.channel, received) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive.yield(unwrapInboundIn(data)) }

        func channelInactive(context: ChannelHandlerContext) {
            receive.finish()
            connections.went(context.channel)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
