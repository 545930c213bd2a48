import NIOCore
import Synchronization

/// Keeps what waits for slow clients within a limit, over all connections of a daemon.
package final class OutboundBuffers: Sendable {
    /// What may wait, in bytes.
    package static let standard = 32 << 20
    /// What is smaller than this is not looked at: the channel itself keeps few of those.
    static let minimum = 16 << 10

    private struct State: Sendable {
        var budget: OutboundBufferLimit<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
        var cutOff = 0
    }

    private let state: Mutex<State>

    /// Makes a limit that all listening sockets of a daemon share.
    package init(bytes: Int = OutboundBuffers.standard) {
        state = Mutex(State(budget: OutboundBufferLimit(limit: bytes)))
    }

    /// How many bytes wait, and how many connections were ended so far.
    package var figures: (waiting: Int, cutOff: Int) { state.withLock { ($0.budget.total, $0.cutOff) } }

    /// Notes bytes that wait, and ends connections that have waited longest where they are too many.
    func began(_ bytes: Int, on channel: any Channel) {
        let ended = state.withLock { state in
            let key = ObjectIdentifier(channel)
            state.channels[key] = channel
            let ended = state.budget.add(bytes, for: key)
            state.cutOff += ended.count
            return ended.compactMap { state.channels.removeValue(forKey: $0) }
        }
        for channel in ended { channel.close(promise: nil) }
    }

    /// Notes that bytes do not wait any more.
    func over(_ bytes: Int, on channel: any Channel) {
        state.withLock { state in
            let key = ObjectIdentifier(channel)
            if !state.budget.remove(bytes, of: key) { state.channels[key] = nil }
        }
    }
}
