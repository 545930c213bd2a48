import HTTPTypes
import HaulCore
import HaulFiles
import HaulTransport
import Synchronization

/// The sink of a hedged request: collects the last bytes of a segment in memory, and writes them if it is complete
/// before the original request is.
///
/// At the moment of completion, the original's cursor gives up the bytes that it has not claimed; only those are
/// written here.
///
/// Unchecked because `work` has no lock: only the transport accesses it, in calls that never overlap.
final class BackupSink: FetchSink, @unchecked Sendable {
    /// State accessed only by the transport's thread.
    private struct Work {
        var bytes: [UInt8] = []
        var announcedEnd: Int64?
        var hold: RateHold?
        /// The end of the fetch, if the sink ended it.
        var end: FetchEnd?
    }

    private let plan: FetchPlan
    private let reader: HeadReader
    private let original: SegmentCursor?
    private let limiters: [RateLimiter]
    private let content: any ContentStore
    private let report: @Sendable (MachineEvent) -> Void
    private let receivedBytes = Atomic<Int64>(0)
    private let heldBack = Atomic<Bool>(false)
    private var work = Work()
    /// The cursor, which does not move: nothing is taken over from a hedged request.
    let cursor: SegmentCursor

    /// Creates a sink whose bytes are for a content.
    init(
        _ reader: HeadReader, original: SegmentCursor?, limiters: [RateLimiter], content: any ContentStore,
        report: @escaping @Sendable (MachineEvent) -> Void
    ) {
        plan = reader.plan
        self.reader = reader
        self.original = original
        self.limiters = limiters
        self.content = content
        self.report = report
        cursor = SegmentCursor(position: plan.position, end: plan.end)
    }

    var sample: FetchSample {
        FetchSample(
            id: plan.id, position: plan.position, received: receivedBytes.load(ordering: .relaxed),
            isHeldBack: heldBack.load(ordering: .relaxed))
    }

    /// The number of bytes to receive: those that are compared, and those that complete the segment.
    private var wanted: Int { Int(clamping: (plan.end ?? plan.position) - plan.ask.offset) }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        let decision = reader.read(response)
        report(.head(fetch: plan.id, decision))
        guard case .take(let facts) = decision else { return .reject }
        work.announcedEnd = facts.end
        work.bytes.reserveCapacity(wanted)
        return .accept
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        let count = min(bytes.byteCount, wanted - work.bytes.count)
        receivedBytes.wrappingAdd(Int64(count), ordering: .relaxed)
        // The span is valid for the whole call and the array copies it.
        unsafe bytes.extracting(first: count).withUnsafeBytes { unsafe work.bytes.append(contentsOf: $0) }
        work.hold = RateHold(bytes.byteCount, from: limiters)
        guard work.bytes.count == wanted else { return limited() }
        if work.end == nil { settle() }
        // If the body ends here anyway, the connection can be reused.
        return work.announcedEnd == plan.end ? .more : .enough
    }

    func woken() -> BodyVerdict {
        let rest = work.hold?.delay ?? .zero
        heldBack.store(rest > .zero, ordering: .relaxed)
        return rest > .zero ? .pauseFor(rest) : .more
    }

    func finished(_ outcome: TransferOutcome) {
        let position = plan.ask.offset + Int64(work.bytes.count)
        report(.ended(fetch: plan.id, position: position, work.end ?? FetchEnd(outcome)))
    }

    /// Writes the bytes that the original has not claimed, now that all have arrived.
    private func settle() {
        work.end = mismatch ?? .enough
        guard work.end == .enough else { return }
        guard let end = plan.end, let original, let offset = original.yieldRest(before: end) else {
            // The original has delivered all of it: its last bytes must be the same.
            if let end = plan.end { keepOverlap(before: end) }
            return
        }
        guard offset >= plan.position, let target = content.rest(from: offset) else {
            work.end = .broken(DownloadError(.internal, "the last bytes of a segment were not saved"))
            return
        }
        keepOverlap(before: offset)
        let cursor = SegmentCursor(position: offset, end: end)
        var writer = SegmentWriter(target, cursor: cursor, position: offset, overlap: 0)
        // The bytes of an array of integers are initialised, and the span ends before the array does.
        let bytes = work.bytes
        _ = unsafe writer.take(bytes.span.bytes.extracting(droppingFirst: Int(offset - plan.ask.offset)))
        writer.flush()
        work.end = writer.failure ?? .won(from: offset)
    }

    /// Compares the bytes before the first one that was missing when the request was sent; nil if they are the same.
    private var mismatch: FetchEnd? {
        let count = Int(plan.position - plan.ask.offset)
        // The bytes of an array of integers are initialised, and the span ends before the array does.
        let bytes = work.bytes
        do throws(FileError) {
            return try unsafe content.holds(bytes.span.bytes.extracting(first: count), at: plan.ask.offset)
                ? nil : .differs
        } catch {
            return .fileFailed(error.downloadError)
        }
    }

    /// Keeps the last bytes before an offset, which the original has delivered too, to compare them later: if the
    /// original had lost some before, they would be shifted.
    private func keepOverlap(before offset: Int64) {
        let count = Int(min(Int64(SurplusBytes.bytesKept), offset - plan.position))
        guard count > 0 else { return }
        let end = Int(offset - plan.ask.offset)
        // The bytes of an array of integers are initialised, and the span ends before the array does.
        let bytes = work.bytes
        unsafe content.keepSurplus(bytes.span.bytes.extracting(end - count..<end), at: offset - Int64(count))
    }

    private func limited() -> BodyVerdict {
        let delay = work.hold?.delay ?? .zero
        heldBack.store(delay > .zero, ordering: .relaxed)
        return delay > .zero ? .pauseFor(delay) : .more
    }
}
