import Dispatch
package import HaulCore
import HaulLibC
import Synchronization

/// Hashes a file while it is being downloaded: it follows the front, the offset up to which all bytes are there, on a
/// thread of its own.
///
/// The bytes are read back, from the kernel's cache as a rule, so that the thread that receives them never waits for a
/// digest.
package final class PrefixHasher: Sendable {
    private let partial: PartialFile
    private let algorithm: Checksum.Algorithm
    /// A serial queue: its work runs one piece at a time, never on the threads that run tasks.
    private let queue = DispatchQueue(label: "haul.front-hasher", qos: .utility)
    private let contiguousPrefix = Atomic<Int64>(0)
    private let isQueued = Atomic<Bool>(false)
    private let isCancelled = Atomic<Bool>(false)
    private let state: Mutex<State>

    private struct State {
        var digest: StreamingDigest
        var offset: Int64 = 0
        /// What is read goes there; it is made once, when the first byte is there.
        var buffer: [UInt8] = []
    }

    /// Makes a hasher that has seen nothing.
    package init(_ partial: PartialFile, _ algorithm: Checksum.Algorithm) {
        self.partial = partial
        self.algorithm = algorithm
        self.state = Mutex(State(digest: StreamingDigest(algorithm)))
    }

    /// Says that all bytes up to `contiguousPrefix` are written.
    ///
    /// Returns at once; a smaller number than before changes nothing.
    package func advance(to contiguousPrefix: Int64) {
        let before = self.contiguousPrefix.max(contiguousPrefix, ordering: .acquiringAndReleasing).oldValue
        guard contiguousPrefix > before, !isQueued.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            isQueued.store(false, ordering: .releasing)
            // A failure comes again when `finish` reads the rest: the offset has not moved.
            try? follow()
        }
    }

    /// Waits until all of `total` bytes are hashed.
    ///
    /// - Returns: The digest in lower-case hexadecimal, or nil where it was cancelled.
    /// - Throws: `FileError` where the bytes can't be read; EIO where the file is shorter than `total`.
    package func finish(total: Int64) throws(FileError) -> String? {
        _ = contiguousPrefix.max(total, ordering: .acquiringAndReleasing)
        try follow()
        return try state.withLock { state throws(FileError) in
            if isCancelled.load(ordering: .acquiring) { return nil }
            guard state.offset == total else { throw FileError(.pread, partial.names.partial, EIO) }
            return state.digest.finalize()
        }
    }

    /// Ends the work within one step.
    ///
    /// `finish` answers nil from then on.
    package func cancel() { isCancelled.store(true, ordering: .releasing) }

    /// How far it is.
    package var offset: Int64 { state.withLock { $0.offset } }

    /// Hashes up to the front, step by step; between two steps a restart can come in.
    private func follow() throws(FileError) {
        var hasMore = true
        while hasMore, !isCancelled.load(ordering: .acquiring) {
            hasMore = try state.withLock { state throws(FileError) in
                let left = contiguousPrefix.load(ordering: .acquiring) - state.offset
                return left > 0 ? try step(&state, Int(min(left, Int64(StreamingDigest.stepBytes)))) : false
            }
        }
    }

    /// - Returns: false where the file ends before the front.
    private func step(_ state: inout State, _ wanted: Int) throws(FileError) -> Bool {
        if state.buffer.isEmpty { state.buffer = [UInt8](repeating: 0, count: StreamingDigest.stepBytes) }
        var (digest, offset) = (state.digest, state.offset)
        var span = state.buffer.mutableSpan
        // Safe: the buffer is the state's own for the length of the call; at most what it holds is read, only what was
        // read is hashed.
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
