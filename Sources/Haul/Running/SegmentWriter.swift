import HaulCore
import HaulFiles

/// Puts the bytes of one fetch into the file: compares an overlap, claims, gathers small pieces, writes, records.
///
/// It belongs to one thread at a time; only the cursor is shared.
struct SegmentWriter {
    /// Where the bytes go.
    struct Target {
        var partial: PartialFile
        /// Where it is recorded; without a slot nothing is written, and the bytes are compared with those that are there.
        var slot: SegmentSlot?
    }

    private static let gatherLimit = 256 << 10
    private static let longestGathering: Duration = .milliseconds(100)

    private let target: Target
    private let cursor: SegmentCursor
    /// The offset behind the last byte that is in the file.
    private var position: Int64
    /// Bytes before `position` that are to be compared with the file first.
    private var toCompare: Int64
    private var gathered: [UInt8] = []
    private var lastWrite = ContinuousClock.now
    private var writes = 0
    /// Of so many writes one is timed, and stands for all of them.
    private static let timedWrites = 8
    /// Why nothing more is taken.
    private(set) var failure: FetchEnd?

    /// Makes a writer for a fetch whose first `overlap` bytes are in the file already.
    init(_ target: Target, cursor: SegmentCursor, position: Int64, overlap: Int64) {
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
        guard target.slot != nil else { return compare(bytes) }
        let compared = Int(min(toCompare, Int64(bytes.byteCount)))
        if compared > 0 {
            failure = mismatch(bytes.extracting(first: compared))
            toCompare -= Int64(compared)
            guard failure == nil else { return false }
        }
        let fresh = bytes.extracting(droppingFirst: compared)
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
        return count == bytes.byteCount
    }

    /// Writes what was gathered.
    mutating func flush() {
        guard !gathered.isEmpty else { return }
        // Taken out for the call, since writing changes the writer; put back for its capacity.
        var bytes: [UInt8] = []
        swap(&bytes, &gathered)
        // The bytes of an array of integers are initialised, and the span ends before the array changes.
        unsafe write(bytes.span.bytes)
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &gathered)
    }

    /// Writes what was gathered too long ago.
    mutating func flushIfStale() {
        if ContinuousClock.now - lastWrite >= Self.longestGathering { flush() }
    }

    private mutating func put(_ bytes: RawSpan) {
        if gathered.isEmpty, bytes.byteCount >= Self.gatherLimit { return write(bytes) }
        if gathered.capacity == 0 { gathered.reserveCapacity(Self.gatherLimit + (64 << 10)) }
        // The span is valid for the whole call and the array copies it.
        unsafe bytes.withUnsafeBytes { unsafe gathered.append(contentsOf: $0) }
        if gathered.count >= Self.gatherLimit { flush() } else { flushIfStale() }
    }

    private mutating func write(_ bytes: RawSpan) {
        guard failure == nil, bytes.byteCount > 0, let slot = target.slot else { return }
        let begin: ContinuousClock.Instant? = writes % Self.timedWrites == Self.timedWrites - 1 ? .now : nil
        writes &+= 1
        do throws(FileError) {
            try target.partial.write(bytes, at: position)
            position += Int64(bytes.byteCount)
            try target.partial.record(slot: slot, written: position)
            cursor.didWrite(upTo: position)
        } catch {
            failure = .fileFailed(error.downloadError)
        }
        lastWrite = ContinuousClock.now
        if let begin { cursor.didSpend((lastWrite - begin) * Self.timedWrites) }
    }

    /// What is wrong with bytes that should stand in the file already; nil where they do.
    private func mismatch(_ bytes: RawSpan) -> FetchEnd? {
        var there = [UInt8](repeating: 0, count: bytes.byteCount)
        do throws(FileError) {
            var span = there.mutableSpan
            // The buffers are valid for their whole closures, and both exactly as long as `there`.
            let count = try unsafe span.withUnsafeMutableBytes { buffer throws(FileError) in
                unsafe try target.partial.read(into: buffer, at: position - toCompare)
            }
            guard count == there.count else { return .differs }
            return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(there) } ? nil : .differs
        } catch {
            return .fileFailed(error.downloadError)
        }
    }
}
