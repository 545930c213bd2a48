import Dispatch
package import HaulCore
import HaulDigest
import HaulLibC
import Synchronization

/// Hashes a file during the download.
///
/// It follows the front, the offset up to which all bytes are written, on a thread of its own.
///
/// The bytes are read back, usually from the page cache, so that the receiving thread never waits for a digest.
package final class PrefixHasher: Sendable {
    private let partial: PartialFile
    private let algorithm: Checksum.Algorithm
    /// A serial queue: runs one piece of work at a time, never on the threads that run tasks.
    private let queue = DispatchQueue(label: "haul.front-hasher", qos: .utility)
    private let contiguousPrefix = Atomic<Int64>(0)
    private let isQueued = Atomic<Bool>(false)
    private let isCancelled = Atomic<Bool>(false)
    private let state: Mutex<State>

    private struct State {
        var digest: StreamingDigest
        var offset: Int64 = 0
        /// The read buffer, allocated when the first bytes are available.
        var buffer: [UInt8] = []
    }

    /// Makes a hasher for a file; nothing is hashed yet.
    package init(_ partial: PartialFile, _ algorithm: Checksum.Algorithm) {
        self.partial = partial
        self.algorithm = algorithm
        self.state = Mutex(State(digest: StreamingDigest(algorithm)))
    }

    /// Reports that all bytes up to `contiguousPrefix` are written.
    ///
    /// Returns immediately; a smaller number than before has no effect.
    package func advance(to contiguousPrefix: Int64) {
        let before = self.contiguousPrefix.max(contiguousPrefix, ordering: .acquiringAndReleasing).oldValue
        guard contiguousPrefix > before, !isQueued.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            isQueued.store(false, ordering: .releasing)
            // The error recurs when `finish` reads the rest: the offset has not moved.
            try? follow()
        }
    }

    /// Waits until all of `total` bytes are hashed.
    ///
    /// - Returns: The digest in lower-case hexadecimal, or nil if cancelled.
    /// - Throws: `FileError` if the bytes can't be read; EIO if the file is shorter than `total`.
    package func finish(total: Int64) throws(FileError) -> String? {
        _ = contiguousPrefix.max(total, ordering: .acquiringAndReleasing)
        try follow()
        return try state.withLock { state throws(FileError) in
            if isCancelled.load(ordering: .acquiring) { return nil }
            guard state.offset == total else { throw FileError(.pread, partial.names.partial, EIO) }
            return state.digest.finalize()
        }
    }

    /// Stops the work within one step.
    ///
    /// `finish` returns nil from then on.
    package func cancel() { isCancelled.store(true, ordering: .releasing) }

    /// The number of bytes hashed so far.
    package var offset: Int64 { state.withLock { $0.offset } }

    /// Hashes up to the front, step by step.
    ///
    /// Releases the lock between two steps.
    private func follow() throws(FileError) {
        var hasMore = true
        while hasMore, !isCancelled.load(ordering: .acquiring) {
            hasMore = try state.withLock { state throws(FileError) in
                let left = contiguousPrefix.load(ordering: .acquiring) - state.offset
                return left > 0 ? try step(&state, Int(min(left, Int64(StreamingDigest.stepBytes)))) : false
            }
        }
    }

    /// - Returns: False if the file ends before the front.
    private func step(_ state: inout State, _ wanted: Int) throws(FileError) -> Bool {
        if state.buffer.isEmpty { state.buffer = [UInt8](repeating: 0, count: StreamingDigest.stepBytes) }
        var (digest, offset) = (state.digest, state.offset)
        var span = state.buffer.mutableSpan
        // Safe: the buffer belongs to the state for the duration of the call; no more is read than fits, and only bytes
        // that were read are hashed.
        let count = try unsafe span.withUnsafeMutableBytes { bytes throws(FileError) in
            let window = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted])
            let count = try unsafe partial.read(into: window, at: offset)
            unsafe digest.update(UnsafeRawBufferPointer(rebasing: window[..<count]))
            return count
        }
        offset += Int64(count)
        (state.digest, state.offset) = (digest, offset)
        return count == wanted
    }
}
