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

    /// The number of bytes to compare: those before the first one that was missing when the request was sent.
    private var compared: Int { Int(plan.position - plan.ask.offset) }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        let decision = reader.read(response)
        report(.head(fetch: plan.id, decision))
        guard case .take(let facts) = decision else { return .reject }
        work.announcedEnd = facts.end
        work.bytes.reserveCapacity(wanted)
        return .accept
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        let before = work.bytes.count
        let count = min(bytes.byteCount, wanted - before)
        receivedBytes.wrappingAdd(Int64(count), ordering: .relaxed)
        // The span is valid for the whole call and the array copies it.
        unsafe bytes.extracting(first: count).withUnsafeBytes { unsafe work.bytes.append(contentsOf: $0) }
        work.hold = RateHold(bytes.byteCount, from: limiters)
        // At once: the request may be cancelled before its end, and what it has shown would be lost.
        if before < compared, work.bytes.count >= compared { work.end = mismatch() }
        if work.end == nil {
            guard work.bytes.count == wanted else { return limited() }
            settle()
        }
        // If the body ends here anyway, the connection can be reused.
        return work.bytes.count == wanted && work.announcedEnd == plan.end ? .more : .enough
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
        work.end = .enough
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
    ///
    /// If they differ, they are kept, and compared again when the content is complete: the original may complete the segment
    /// meanwhile.
    private func mismatch() -> FetchEnd? {
        // The bytes of an array of integers are initialised, and the span ends before the array does.
        let bytes = work.bytes
        do throws(FileError) {
            let holds = try unsafe content.holds(bytes.span.bytes.extracting(first: compared), at: plan.ask.offset)
            guard !holds else { return nil }
            for start in stride(from: 0, to: compared, by: SurplusBytes.bytesKept) {
                keep(start..<min(start + SurplusBytes.bytesKept, compared))
            }
            return .differs
        } catch {
            return .fileFailed(error.downloadError)
        }
    }

    /// Keeps the last bytes before an offset, which the original has delivered too, to compare them later: if the
    /// original had lost some before, they would be shifted.
    private func keepOverlap(before offset: Int64) {
        let count = Int(min(Int64(SurplusBytes.bytesKept), offset - plan.position))
        let end = Int(offset - plan.ask.offset)
        if count > 0 { keep(end - count..<end) }
    }

    /// Keeps some of the bytes, to compare them when the content is complete.
    private func keep(_ range: Range<Int>) {
        // The bytes of an array of integers are initialised, and the span ends before the array does.
        let bytes = work.bytes
        unsafe content.keepSurplus(
            bytes.span.bytes.extracting(range), at: plan.ask.offset + Int64(range.lowerBound))
    }

    private func limited() -> BodyVerdict {
        let delay = work.hold?.delay ?? .zero
        heldBack.store(delay > .zero, ordering: .relaxed)
        return delay > .zero ? .pauseFor(delay) : .more
    }
}
