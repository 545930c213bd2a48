import NIOCore
import Synchronization

/// The read limits of transfers, until their requests are written to a connection.
///
/// AsyncHTTPClient does not reveal the connection of a request. So the number of the limit is sent in the header that
/// contains the request target, which `RequestTargetHandler` removes.
final class ReadLimits: Sendable {
    /// A function that returns the maximum number of bytes of one read.
    ///
    /// It is a struct because a bare closure in a lock is wrapped once more on every access. A call then passes through
    /// all wrappers, and after some hundred thousand reads through more than the stack holds.
    struct Limit: Sendable {
        let bytes: @Sendable () -> Int
    }

    private let state = Mutex((next: UInt64(0), limits: [UInt64: Limit]()))

    /// Adds a limit and returns its number.
    func add(_ bytes: @escaping @Sendable () -> Int) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.limits[state.next] = Limit(bytes: bytes)
            return state.next
        }
    }

    /// Returns the limit with a number.
    func limit(_ number: UInt64) -> Limit? { state.withLock { $0.limits[number] } }

    /// Removes a limit.
    func remove(_ number: UInt64) { state.withLock { $0.limits[number] = nil } }
}

/// Allocates for each read a buffer of the size that the connection's current transfer allows.
///
/// NIO keeps one buffer for all reads and fills it. The only way to get a smaller one is to return no size and to
/// report that the next one may differ.
struct LimitedReads: RecvByteBufferAllocator {
    /// The limit of a connection's current transfer, shared by its allocator and its handler.
    final class Current: Sendable {
        private let current = Mutex<ReadLimits.Limit?>(nil)

        /// Sets the limit, or removes it.
        func set(_ limit: ReadLimits.Limit?) { current.withLock { $0 = limit } }

        /// The current limit.
        var limit: Int? { current.withLock { $0 }?.bytes() }
    }

    /// The number of bytes of a read without a limit.
    let capacity: Int
    let current: Current

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: size) }

    func nextBufferSize() -> Int? { size < capacity ? nil : capacity }

    mutating func record(actualReadBytes: Int) -> Bool { size < capacity }

    /// A power of two that is at most the limit, because an allocator rounds up to one.
    private var size: Int {
        guard let limit = current.limit else { return capacity }
        return min(capacity, 1 << (Int.bitWidth - 1 - max(1 << 10, limit).leadingZeroBitCount))
    }
}
