import NIOCore

/// What of answers waits in memory for clients that do not take it, over all connections, and whose turn it is to go
/// when that becomes too much.
///
/// A client that reads is served at once and holds next to nothing. Those that ask for much and do not read would fill
/// the memory with what they have asked for: the one that has been waiting longest is given up first.
struct OutboundBufferLimit<Connection: Hashable & Sendable>: Sendable {
    private struct Waiting {
        var bytes: Int
        let since: UInt64
    }

    /// How many bytes may wait.
    let limit: Int
    /// How many bytes wait.
    private(set) var total = 0
    private var waiting: [Connection: Waiting] = [:]
    private var turn: UInt64 = 0

    /// Makes a budget of which nothing is used.
    init(limit: Int) { self.limit = limit }

    /// Notes bytes that wait for a client from now on.
    ///
    /// - Returns: The connections to end, so that what waits stays within the limit: those that have been waiting
    ///   longest, but never the one that the bytes are for. They are forgotten.
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

    /// Notes that bytes are with the kernel, or gone with their connection; says whether more of it waits.
    mutating func remove(_ bytes: Int, of connection: Connection) -> Bool {
        guard let kept = waiting[connection] else { return false }
        let gone = min(bytes, kept.bytes)
        total -= gone
        waiting[connection] = gone < kept.bytes ? Waiting(bytes: kept.bytes - gone, since: kept.since) : nil
        return gone < kept.bytes
    }
}

/// Stands next to the socket and tells the limit what goes out, and what has gone.
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
