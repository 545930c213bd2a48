import NIOCore
import Synchronization

/// What transfers say about the size of their reads, until their requests are written to a connection.
///
/// AsyncHTTPClient does not tell which connection a request gets. So its number travels in the header that its target is in, which
/// `RequestTargetHandler` takes off again.
final class ReadLimits: Sendable {
    /// How many bytes one read may bring.
    ///
    /// A struct, since a lock that keeps a bare function has it wrapped once more by each look at it: a call of it then goes
    /// through all of them, and one after some hundred thousand reads through more than a stack holds.
    struct Limit: Sendable {
        let bytes: @Sendable () -> Int
    }

    private let state = Mutex((next: UInt64(0), limits: [UInt64: Limit]()))

    /// Keeps a limit and returns its number.
    func add(_ bytes: @escaping @Sendable () -> Int) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.limits[state.next] = Limit(bytes: bytes)
            return state.next
        }
    }

    /// The limit with a number.
    func limit(_ number: UInt64) -> Limit? { state.withLock { $0.limits[number] } }

    /// Forgets a limit.
    func remove(_ number: UInt64) { state.withLock { $0.limits[number] = nil } }
}

/// Gives each read of a connection a buffer as large as the transfer that has the connection allows just then.
///
/// NIO keeps one buffer for all reads and reads as much as fits: a smaller one is had only by giving no size and saying that the next one
/// may be another.
struct LimitedReads: RecvByteBufferAllocator {
    /// The limit of the transfer that a connection has; shared between its allocator and its handler.
    final class Current: Sendable {
        private let current = Mutex<ReadLimits.Limit?>(nil)

        /// Sets the limit, or none.
        func set(_ limit: ReadLimits.Limit?) { current.withLock { $0 = limit } }

        /// The limit now.
        var limit: Int? { current.withLock { $0 }?.bytes() }
    }

    /// How many bytes a read brings without a limit.
    let capacity: Int
    let current: Current

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: size) }

    func nextBufferSize() -> Int? { size < capacity ? nil : capacity }

    mutating func record(actualReadBytes: Int) -> Bool { size < capacity }

    /// A power of two below the limit, since an allocator rounds up to one.
    private var size: Int {
        guard let limit = current.limit else { return capacity }
        return min(capacity, 1 << (Int.bitWidth - 1 - max(1 << 10, limit).leadingZeroBitCount))
    }
}
