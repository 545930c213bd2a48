import NIOCore
import Synchronization

/// Limits the bytes that wait for slow clients, over all connections of a daemon.
package final class OutboundBuffers: Sendable {
    /// The default limit in bytes.
    package static let standard = 32 << 20
    /// The size below which writes are ignored: the channel itself buffers only a few of those.
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

    /// The number of waiting bytes, and the number of connections closed so far.
    package var figures: (waiting: Int, cutOff: Int) { state.withLock { ($0.budget.total, $0.cutOff) } }

    /// Records waiting bytes, and closes the connections that have waited longest if there are too many.
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

    /// Records that bytes no longer wait.
    func over(_ bytes: Int, on channel: any Channel) {
        state.withLock { state in
            let key = ObjectIdentifier(channel)
            if !state.budget.remove(bytes, of: key) { state.channels[key] = nil }
        }
    }
}
