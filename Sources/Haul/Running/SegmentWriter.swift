import HaulCore
import HaulFiles

/// Puts the bytes of one fetch into the file: compares an overlap, claims, gathers small pieces, writes, records.
///
/// It belongs to one thread at a time; only the cursor is shared.
struct SegmentWriter {
    /// Where the bytes go.
    enum Target {
        /// Into a file, and where that is recorded.
        case file(PartialFile, SegmentSlot)
        /// Nowhere: they are compared with those that are there.
        case comparison(any ComparableBytes)
        /// To a receiver, in order.
        case window(StreamWindow)
    }

    /// Half of the 256 KiB that may come twice after a kill: what the kernel has not handed over yet is lost as well.
    private static let gatherLimit = 128 << 10
    /// Pieces of this size are worth a write of their own; and a connection that brings smaller ones slowly needs no more memory.
    private static let fewBytes = 64 << 10
    private static let maxGathering: Duration = .milliseconds(100)

    private let target: Target
    private let cursor: SegmentCursor
    /// The offset behind the last byte that is in the file.
    private var position: Int64
    /// Bytes before `position` that are to be compared with the file first.
    private var toCompare: Int64
    /// Whether what was compared so far is also what the file begins with; nil: that does not matter.
    private var isLikeStart: Bool?
    /// How many bytes were compared.
    private var compared: Int64 = 0
    private var gathered: [UInt8] = []
    private var lastWrite = ContinuousClock.now
    private var writes = 0
    /// Of so many writes one is timed, and stands for all of them.
    private static let timedWrites = 8
    /// Why nothing more is taken.
    private(set) var failure: FetchEnd?

    /// Makes a writer for a fetch whose first `overlap` bytes are in the file already.
    ///
    /// - Parameter provesOffset: Whether bytes that the file also begins with prove nothing.
    init(_ target: Target, cursor: SegmentCursor, position: Int64, overlap: Int64, provesOffset: Bool = false) {
        isLikeStart = provesOffset ? true : nil
        self.target = target
        self.cursor = cursor
        self.position = position
        toCompare = overlap
    }

    /// Takes bytes as far as the segment reaches.
    ///
    /// - Returns: whether all of them were taken and more may come.
    mutating func take(_ bytes: RawSpan) -> Bool {
        guard failure == nil else { return false }
        if case .comparison = target { return compare(bytes) }
        let old = Int(min(toCompare, Int64(bytes.byteCount)))
        if old > 0 {
            failure = mismatch(bytes.extracting(first: old))
            toCompare -= Int64(old)
            if toCompare == 0, isLikeStart == true { failure = failure ?? .undecided }
            guard failure == nil else { return false }
        }
        let fresh = bytes.extracting(droppingFirst: old)
        let count = cursor.claim(fresh.byteCount)
        put(fresh.extracting(first: count))
        return failure == nil && count == fresh.byteCount
    }

    private mutating func compare(_ bytes: RawSpan) -> Bool {
        let count = cursor.claim(bytes.byteCount)
        failure = count > 0 ? mismatch(bytes.extracting(first: count)) : nil
        guard failure == nil else { return false }
        position += Int64(count)
        cursor.didWrite(upTo: position)
        if cursor.end.isReached, isLikeStart == true { failure = .undecided }
        return failure == nil && count == bytes.byteCount
    }

    /// Whether bytes wait because the receiver of a stream has no room for them.
    var isBlocked: Bool {
        guard case .window = target else { return false }
        return !gathered.isEmpty && failure == nil
    }

    /// Writes what was gathered, as far as there is room for it.
    mutating func flush() {
        guard !gathered.isEmpty else { return }
        // Taken out for the call, since writing changes the writer; put back for its capacity.
        var bytes: [UInt8] = []
        swap(&bytes, &gathered)
        // The bytes of an array of integers are initialised, and the span ends before the array changes.
        let count = unsafe write(bytes.span.bytes)
        if count == bytes.count || failure != nil {
            bytes.removeAll(keepingCapacity: true)
        } else {
            bytes.removeFirst(count)
        }
        swap(&bytes, &gathered)
    }

    /// Writes what was gathered too long ago, or had no room.
    mutating func flushIfStale() {
        if isBlocked || ContinuousClock.now - lastWrite >= Self.maxGathering { flush() }
    }

    private mutating func put(_ bytes: RawSpan) {
        var bytes = bytes
        // Nothing follows the last bytes of a segment that they could be gathered with: a small file is written as it came.
        if bytes.byteCount >= directLimit || (gathered.isEmpty && cursor.end.isReached) {
            flush()
            guard gathered.isEmpty else { return gather(bytes) }
            let count = write(bytes)
            guard count < bytes.byteCount, failure == nil else { return }
            bytes = bytes.extracting(droppingFirst: count)
        }
        if gathered.count + bytes.byteCount > Self.gatherLimit { flush() }
        gather(bytes)
        flushIfStale()
    }

    private mutating func gather(_ bytes: RawSpan) {
        let count = gathered.count + bytes.byteCount
        if gathered.capacity < count {
            gathered.reserveCapacity(max(count, count > Self.fewBytes ? Self.gatherLimit : Self.fewBytes))
        }
        // The span is valid for the whole call and the array copies it.
        unsafe bytes.withUnsafeBytes { unsafe gathered.append(contentsOf: $0) }
    }

    /// From so many bytes on they are written as they come: to a window, which copies them, always.
    private var directLimit: Int {
        if case .window = target { 1 } else { Self.fewBytes }
    }

    /// - Returns: how many bytes were written; less than all only where a window has no room, or where writing failed.
    private mutating func write(_ bytes: RawSpan) -> Int {
        guard failure == nil, bytes.byteCount > 0 else { return 0 }
        var count = bytes.byteCount
        let begin: ContinuousClock.Instant? = writes % Self.timedWrites == Self.timedWrites - 1 ? .now : nil
        writes &+= 1
        do throws(FileError) {
            switch target {
            case .file(let partial, let slot):
                try partial.write(bytes, at: position)
                position += Int64(count)
                try partial.record(slot: slot, written: position)
            case .window(let window):
                count = window.write(bytes, at: position)
                position += Int64(count)
            case .comparison: return 0
            }
            cursor.didWrite(upTo: position)
        } catch {
            failure = .fileFailed(error.downloadError)
        }
        lastWrite = ContinuousClock.now
        if let begin { cursor.didSpend((lastWrite - begin) * Self.timedWrites) }
        return count
    }

    /// Compares bytes with those that should be in the file already.
    ///
    /// - Returns: What is wrong with them, or nil.
    private mutating func mismatch(_ bytes: RawSpan) -> FetchEnd? {
        do throws(FileError) {
            guard try holds(bytes, at: position - toCompare) else { return .differs }
            if isLikeStart == true { isLikeStart = try holdsAtStart(bytes) }
            compared += Int64(bytes.byteCount)
            return nil
        } catch {
            return .fileFailed(error.downloadError)
        }
    }

    private func holds(_ bytes: RawSpan, at offset: Int64) throws(FileError) -> Bool {
        switch target {
        case .file(let file, _): try file.holds(bytes, at: offset)
        case .comparison(let file): try file.holds(bytes, at: offset)
        case .window(let window): window.holds(bytes, at: offset)
        }
    }

    private func holdsAtStart(_ bytes: RawSpan) throws(FileError) -> Bool {
        switch target {
        case .file(let file, _): try file.holds(bytes, at: compared)
        case .comparison(let file): try file.holds(bytes, at: compared)
        case .window(let window): window.mayBegin(with: bytes, at: compared)
        }
    }
}
