import HaulCore
import HaulFiles

/// Writes the bytes of a fetch to the file: compares an overlap, claims, collects small pieces, writes, records.
///
/// Only one thread at a time may use it; only the cursor is shared.
struct SegmentWriter {
    /// The destination of the bytes.
    enum Target {
        /// A file, and the slot that records its progress.
        case file(PartialFile, SegmentSlot)
        /// No file: the bytes are compared with existing ones.
        case comparison(any ComparableBytes)
        /// A receiver, in order.
        case window(StreamWindow)
    }

    /// Half of the 256 KiB that may be received again after a kill: data that is still in the kernel's socket buffer is
    /// lost as well.
    private static let gatherLimit = 128 << 10
    /// Pieces of this size are written at once; a slow connection with smaller pieces needs no larger buffer.
    private static let fewBytes = 64 << 10
    private static let maxGathering: Duration = .milliseconds(100)

    private let target: Target
    private let cursor: SegmentCursor
    /// The offset after the last byte in the file.
    private var position: Int64
    /// The number of bytes before `position` that must be compared with the file first.
    private var toCompare: Int64
    /// True if the bytes compared so far also match the start of the file; nil if that is irrelevant.
    private var isLikeStart: Bool?
    /// The number of compared bytes.
    private var compared: Int64 = 0
    private var gathered: [UInt8] = []
    private var lastWrite = ContinuousClock.now
    private var writes = 0
    /// One in this number of writes is timed, as a sample.
    private static let timedWrites = 8
    /// The reason why no more bytes are taken.
    private(set) var failure: FetchEnd?

    /// Creates a writer for a fetch whose first `overlap` bytes are in the file already.
    ///
    /// - Parameter provesOffset: True if bytes that also match the start of the file prove nothing.
    init(_ target: Target, cursor: SegmentCursor, position: Int64, overlap: Int64, provesOffset: Bool = false) {
        isLikeStart = provesOffset ? true : nil
        self.target = target
        self.cursor = cursor
        self.position = position
        toCompare = overlap
    }

    /// Takes bytes up to the end of the segment.
    ///
    /// - Returns: True if all of them were taken and more may come.
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
        if count < fresh.byteCount { keepSurplus(fresh.extracting(droppingFirst: count)) }
        return failure == nil && count == fresh.byteCount
    }

    /// Keeps bytes beyond the end of the segment, which another fetch delivers, to compare them later.
    private func keepSurplus(_ bytes: RawSpan) {
        guard let end = cursor.end.offset else { return }
        switch target {
        case .file(let partial, _): partial.keepSurplus(bytes, at: end)
        case .window(let window): window.keepSurplus(bytes, at: end)
        case .comparison: break
        }
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

    /// True if bytes wait because the receiver of a stream has no room for them.
    var isBlocked: Bool {
        guard case .window = target else { return false }
        return !gathered.isEmpty && failure == nil
    }

    /// Writes the collected bytes, as far as there is room.
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

    /// Writes collected bytes that are too old, or had no room before.
    mutating func flushIfStale() {
        if isBlocked || ContinuousClock.now - lastWrite >= Self.maxGathering { flush() }
    }

    private mutating func put(_ bytes: RawSpan) {
        var bytes = bytes
        // No bytes follow the last ones of a segment, so they are written at once: a small file needs a single write.
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

    /// The size from which pieces are written directly; a window copies the bytes anyway.
    private var directLimit: Int {
        if case .window = target { 1 } else { Self.fewBytes }
    }

    /// Writes bytes and returns their number, which is lower than requested only if a window has no room, or if writing
    /// failed.
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

    /// Compares bytes with those in the file.
    ///
    /// - Returns: The error, or nil if they match.
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
