import Dispatch
package import HaulCore
import HaulDigest
import Synchronization

/// Compares the pieces of a file with their digests during the download.
///
/// Like `PrefixHasher`, it follows the front on a thread of its own.
package final class PieceChecker: Sendable {
    private let partial: PartialFile
    private let pieces: PieceHashes
    /// A serial queue: runs one piece of work at a time, never on the threads that run tasks.
    private let queue = DispatchQueue(label: "haul.piece-checker", qos: .utility)
    private let contiguousPrefix = Atomic<Int64>(0)
    private let isQueued = Atomic<Bool>(false)
    private let isCancelled = Atomic<Bool>(false)
    private let state = Mutex(State())

    private struct State {
        /// The first piece that has not been checked.
        var next = 0
        var bad: [Int] = []
        /// True if all pieces were checked once, so that only the bad ones are checked again.
        var hasFinished = false
    }

    /// Makes a checker for a file; nothing is checked yet.
    package init(_ partial: PartialFile, _ pieces: PieceHashes) {
        self.partial = partial
        self.pieces = pieces
    }

    /// Reports that all bytes up to `contiguousPrefix` are written.
    ///
    /// Returns immediately; a smaller number than before has no effect.
    package func advance(to contiguousPrefix: Int64) {
        let before = self.contiguousPrefix.max(contiguousPrefix, ordering: .acquiringAndReleasing).oldValue
        guard contiguousPrefix / pieces.length > before / pieces.length else { return }
        guard !isQueued.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            isQueued.store(false, ordering: .releasing)
            // The error recurs when `finish` reads the rest: the piece has not been skipped.
            try? follow(total: nil)
        }
    }

    /// Waits until all pieces of a file of `total` bytes are compared; later calls compare the bad ones again.
    ///
    /// - Returns: The indices of the pieces with a wrong digest, from 0, in order, or nil if cancelled.
    /// - Throws: `FileError` if the bytes can't be read.
    package func finish(total: Int64) throws(FileError) -> [Int]? {
        try follow(total: total)
        return try state.withLock { state throws(FileError) in
            if state.hasFinished {
                var stillBad: [Int] = []
                for piece in state.bad where !isCancelled.load(ordering: .acquiring) {
                    if try !isGood(piece, total: total) { stillBad.append(piece) }
                }
                state.bad = stillBad
            }
            state.hasFinished = true
            return isCancelled.load(ordering: .acquiring) ? nil : state.bad
        }
    }

    /// Stops the work within one step.
    ///
    /// `finish` returns nil from then on.
    package func cancel() { isCancelled.store(true, ordering: .releasing) }

    /// Compares piece after piece up to the front, or up to the end if the total is given.
    ///
    /// Releases the lock between two pieces.
    private func follow(total: Int64?) throws(FileError) {
        var hasMore = true
        while hasMore, !isCancelled.load(ordering: .acquiring) {
            hasMore = try state.withLock { state throws(FileError) in
                let piece = state.next
                let isThere =
                    pieces.range(of: piece, total: .max).upperBound <= contiguousPrefix.load(ordering: .acquiring)
                guard piece < pieces.hashes.count, isThere || total != nil else { return false }
                if try !isGood(piece, total: total ?? .max) { state.bad.append(piece) }
                state.next += 1
                return true
            }
        }
    }

    private func isGood(_ piece: Int, total: Int64) throws(FileError) -> Bool {
        try unsafe pieces.matches(piece, total: total, isCancelled: { isCancelled.load(ordering: .acquiring) }) {
            window, offset throws(FileError) in
            try unsafe partial.read(into: window, at: offset)
        }
    }
}

extension PieceHashes {
    /// Returns true if all pieces of a file of `size` bytes have the right digest; nil if cancelled.
    ///
    /// Blocks while the file is read.
    package func match(
        fileAt path: String, size: Int64, system: SystemCalls = .live, isCancelled: () -> Bool = { false }
    ) throws(FileError) -> Bool? {
        guard fits(total: size) else { return false }
        let file = try system.open(path, .read)
        for piece in hashes.indices {
            let matches = try unsafe matches(piece, total: size, isCancelled: isCancelled) {
                window, offset throws(FileError) in
                try unsafe system.read(file, into: window, at: offset)
            }
            if isCancelled() { return nil }
            if !matches { return false }
        }
        return true
    }

    /// Returns true if a piece of a file of `total` bytes has the right digest.
    ///
    /// - Parameter read: Reads into the buffer from an offset, and returns the number of bytes; 0 at the end.
    fileprivate func matches(
        _ piece: Int, total: Int64, isCancelled: () -> Bool,
        read: (UnsafeMutableRawBufferPointer, Int64) throws(FileError) -> Int
    ) throws(FileError) -> Bool {
        var digest = StreamingDigest(algorithm)
        var range = range(of: piece, total: total)
        var buffer = [UInt8](repeating: 0, count: Int(min(range.count, Int64(StreamingDigest.stepBytes))))
        while !range.isEmpty, !isCancelled() {
            var span = buffer.mutableSpan
            // Safe: the buffer belongs to the array for the duration of the call, and only bytes that were read are
            // hashed.
            let count = try unsafe span.withUnsafeMutableBytes { bytes throws(FileError) in
                let wanted = Int(min(range.count, Int64(bytes.count)))
                let window = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted])
                let count = try unsafe read(window, range.lowerBound)
                unsafe digest.update(UnsafeRawBufferPointer(rebasing: window[..<count]))
                return count
            }
            guard count > 0 else { return false }
            range = ByteRange(from: range.lowerBound + Int64(count), to: range.upperBound)
        }
        return digest.finalize() == hashes[piece]
    }
}
