import NIOCore

/// Limits the bytes that wait in memory for slow clients, over all connections, and chooses the connections to close.
///
/// A client that reads is served at once and uses almost no memory. Clients that request much and do not read would
/// fill the memory: the one that has been waiting longest is closed first.
struct OutboundBufferLimit<Connection: Hashable & Sendable>: Sendable {
    private struct Waiting {
        var bytes: Int
        let since: UInt64
    }

    /// The maximum number of waiting bytes.
    let limit: Int
    /// The number of waiting bytes.
    private(set) var total = 0
    private var waiting: [Connection: Waiting] = [:]
    private var turn: UInt64 = 0

    /// Makes an unused budget.
    init(limit: Int) { self.limit = limit }

    /// Records bytes that wait for a client.
    ///
    /// - Returns: The connections to close, so that the total stays within the limit: those that have been waiting
    ///   longest, but never the one that the bytes are for. They are no longer tracked.
    mutating func add(_ bytes: Int, for connection: Connection) -> [Connection] {
        turn += 1
        waiting[connection, default: Waiting(bytes: 0, since: turn)].bytes += bytes
        total += bytes
        guard total > limit else { return [] }
        var ended: [Connection] = []
        for (other, kept) in waiting.sorted(by: { $0.value.since < $1.value.since }) where other != connection {
            ended.append(other)
            total -= kept.bytes
            waiting[other] = nil
            if total <= limit { break }
        }
        return ended
    }

    /// Records that bytes were written, or dropped with their connection; returns true if more of its bytes wait.
    mutating func remove(_ bytes: Int, of connection: Connection) -> Bool {
        guard let kept = waiting[connection] else { return false }
        let gone = min(bytes, kept.bytes)
        total -= gone
        waiting[connection] = gone < kept.bytes ? Waiting(bytes: kept.bytes - gone, since: kept.since) : nil
        return gone < kept.bytes
    }
}

/// The handler next to the socket: reports queued and written bytes to the limit.
final class OutboundBufferHandler: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let limit: OutboundBuffers

    init(_ limit: OutboundBuffers) { self.limit = limit }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data).readableBytes
        guard bytes >= OutboundBuffers.minimum else { return context.write(data, promise: promise) }
        let (limit, channel) = (limit, context.channel)
        limit.began(bytes, on: channel)
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in limit.over(bytes, on: channel) }
        context.write(data, promise: written)
    }
}
