import HTTPTypes
import HaulCore
import HaulTransport
import Synchronization

/// The sink of a fetch: decides about the head, passes the body to the writer, pauses if necessary, and reports.
///
/// This is the hot path: one write and two counters per chunk, on the transport's own thread.
///
/// Unchecked because `work` has no lock: only the transport accesses it, in calls that never overlap, and `settle`
/// after the last of them. State that the engine reads and changes meanwhile is in the cursor, in atomics and in
/// `attachment`.
final class SegmentSink: FetchSink, @unchecked Sendable {
    /// State accessed only by the transport's thread.
    private struct Work {
        var writer: SegmentWriter?
        /// The first bytes, until there is a target.
        var waiting: [UInt8] = []
        var announcedEnd: Int64?
        /// The length of the body, if it was announced.
        var announced: Int64?
        /// The number of bytes that have not arrived yet: of the announced ones, or else of a file of known size.
        var left: Int64?
        /// The last byte of a file of known size, in a body whose length was not announced.
        ///
        /// It is written when the body has ended with it: a longer body is that of another version.
        var lastByte: [UInt8] = []
        var hold: RateHold?
        /// The end of the fetch, if the sink ended it.
        var end: FetchEnd?
        /// A decision that waits for the error page with the details, and the page so far.
        var refusal: (decision: ResponseDecision, page: [UInt8])?
        /// The facts of a response that may be empty, until its first byte.
        var unreported: ResponseFacts?
    }

    /// State shared by the engine and the transport.
    private struct Attachment {
        /// The target of the bytes, once it is known.
        var target: SegmentWriter.Target?
        /// The size of the file, if it was set together with the target.
        var total: Int64?
        /// The failure of the transfer, if it occurred before that, while the first bytes were waiting.
        var brokenEarly: TransferOutcome?
    }

    private let plan: FetchPlan
    private let limiters: [RateLimiter]
    private let reader: HeadReader
    private let report: @Sendable (MachineEvent) -> Void
    /// The cursor of the original fetch, which continues with the same bytes until this one has a response.
    private let original: SegmentCursor?
    /// The cursor of the segment.
    let cursor: SegmentCursor
    private let receivedBytes = Atomic<Int64>(0)
    private let heldBack = Atomic<Bool>(false)
    private let attachment: Mutex<Attachment>
    private var work = Work()

    /// Creates a sink; without a target, its first bytes wait for `attach`.
    init(
        _ reader: HeadReader, target: SegmentWriter.Target?, limiters: [RateLimiter], original: SegmentCursor? = nil,
        report: @escaping @Sendable (MachineEvent) -> Void
    ) {
        plan = reader.plan
        self.reader = reader
        self.limiters = limiters
        self.original = original
        self.report = report
        cursor = SegmentCursor(position: plan.position, end: plan.end)
        attachment = Mutex(Attachment(target: target))
    }

    /// The present state of the fetch.
    var sample: FetchSample {
        FetchSample(
            id: plan.id, position: cursor.written, received: receivedBytes.load(ordering: .relaxed),
            isHeldBack: heldBack.load(ordering: .relaxed), writing: cursor.writing)
    }

    /// Sets the target of the bytes.
    ///
    /// Wake the transfer afterwards.
    ///
    /// - Parameter isLimit: True if the end is not that of the file: a body that is longer is not of another version.
    /// - Returns: True if the transfer has failed already; then call `settle`, on a thread that may block.
    func attach(_ target: SegmentWriter.Target, end: Int64?, isLimit: Bool = false) -> Bool {
        cursor.setEnd(end)
        return attachment.withLock { attachment in
            (attachment.target, attachment.total) = (target, isLimit ? nil : end)
            return attachment.brokenEarly != nil
        }
    }

    /// Reports the end of a transfer that failed while its first bytes were waiting; writes them before if there is a
    /// target.
    ///
    /// Without this, a server that closes its connections sooner than a slow disk creates a file would never make
    /// progress.
    func settle() {
        let outcome = attachment.withLock { attachment in
            defer { attachment.brokenEarly = nil }
            return attachment.brokenEarly
        }
        if let outcome { end(with: outcome) }
    }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        let decision = reader.read(response)
        if ErrorPage.isInformative(decision, status: response.status.code) {
            work.refusal = (decision, [])
            return .accept
        }
        // The order matters: the decision must be final when the machine gets it. An original that was faster keeps its
        // bytes.
        if case .take = decision, original?.yield(from: plan.position) == false { return .reject }
        if case .take(let facts) = decision, plan.replaces, facts.offset == 0, facts.end == nil, facts.total == nil {
            work.unreported = facts
            return .accept
        }
        report(.head(fetch: plan.id, decision))
        guard case .take(let facts) = decision else { return .reject }
        work.announcedEnd = facts.end
        work.announced = facts.end.map { $0 - facts.offset }
        work.left = work.announced
        return .accept
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        receivedBytes.wrappingAdd(Int64(bytes.byteCount), ordering: .relaxed)
        if let refusal = work.refusal {
            // The span is valid for the whole call and the array copies it.
            unsafe bytes.withUnsafeBytes { unsafe work.refusal?.page.append(contentsOf: $0.prefix(ErrorPage.limit)) }
            return refusal.page.count + bytes.byteCount < ErrorPage.limit ? .more : .enough
        }
        // All of it counts, also what comes with the end of a body: otherwise small files would know no limit.
        work.hold = RateHold(bytes.byteCount, from: limiters)
        guard hasWriter() else {
            reportHead()
            // The span is valid for the whole call and the array copies it.
            unsafe bytes.withUnsafeBytes { unsafe work.waiting.append(contentsOf: $0) }
            return holdBack()
        }
        return takeWaiting() ?? take(bytes) ?? limited()
    }

    func woken() -> BodyVerdict {
        if work.refusal != nil || work.unreported != nil { return .more }
        // Before the first bytes there is nothing to hold back, and a silent server must not look like one that is held
        // back.
        guard hasWriter() else { return work.waiting.isEmpty ? .more : holdBack() }
        if let verdict = takeWaiting() { return verdict }
        work.writer?.flushIfStale()
        if let verdict = verdictAtEnd() { return verdict }
        if work.writer?.isBlocked == true { return holdBack() }
        // Computed each time, since the limits may have changed.
        let rest = work.hold?.delay ?? .zero
        heldBack.store(rest > .zero, ordering: .relaxed)
        return rest > .zero ? .pauseFor(rest) : .more
    }

    func finished(_ outcome: TransferOutcome) {
        if let refusal = work.refusal {
            report(.head(fetch: plan.id, ErrorPage.read(refusal.page, refusal.decision)))
            return report(.ended(fetch: plan.id, position: cursor.written, .rejected))
        }
        if case .complete = outcome { work.unreported?.isEmpty = true }
        reportHead()
        if case .failed = outcome, !work.waiting.isEmpty, waitsForFile(outcome) { return }
        end(with: outcome)
    }
}

extension SegmentSink {
    /// Reports a head that waited for the first byte; before that, there is no target.
    private func reportHead() {
        guard let facts = work.unreported else { return }
        work.unreported = nil
        report(.head(fetch: plan.id, .take(facts)))
    }

    /// Keeps the end of a failed transfer until there is a target; false if there is one.
    private func waitsForFile(_ outcome: TransferOutcome) -> Bool {
        attachment.withLock { attachment in
            guard attachment.target == nil else { return false }
            attachment.brokenEarly = outcome
            return true
        }
    }

    private func end(with outcome: TransferOutcome) {
        if hasWriter() {
            _ = takeWaiting()
            if case .complete = outcome {
                let last = work.lastByte
                // The bytes of an array of integers are initialised, and the span ends before the array does.
                _ = unsafe work.writer?.take(last.span.bytes)
            }
            work.writer?.flush()
        }
        let received = receivedBytes.load(ordering: .relaxed)
        let body = work.announced.map { (received: received, announced: $0) }
        let end = work.writer?.failure ?? work.end ?? FetchEnd(outcome, body: body)
        report(.ended(fetch: plan.id, position: cursor.written, end))
    }

    /// Writes bytes; returns a verdict if no more are wanted.
    private func take(_ received: RawSpan) -> BodyVerdict? {
        let expected = Int(min(work.left ?? .max, Int64(received.byteCount)))
        work.left = work.left.map { $0 - Int64(expected) }
        let isLast = work.announced == nil && work.left == 0 && expected > 0
        if isLast {
            let last = received.extracting(droppingFirst: expected - 1)
            // The span is valid for the whole call and the array copies it.
            unsafe last.withUnsafeBytes { unsafe work.lastByte = Array($0.prefix(1)) }
        }
        guard work.writer?.take(received.extracting(first: isLast ? expected - 1 : expected)) == true else {
            // Bytes for which there is no room yet are still wanted; once there is, `woken` finds the segment full.
            return work.writer?.isBlocked == true ? nil : enough(.enough)
        }
        guard expected == received.byteCount else {
            guard work.announced != nil else { return enough(.longer) }
            return enough(.broken(DownloadError(.badResponse, "the server sent more data than it announced")))
        }
        return verdictAtEnd()
    }

    /// Returns `enough` if the segment is full or writing failed, but not if the body ends there anyway: then the
    /// connection can be reused.
    private func verdictAtEnd() -> BodyVerdict? {
        if work.end != nil || work.writer?.failure != nil { return .enough }
        let end = cursor.end
        guard end.isReached else { return nil }
        work.writer?.flush()
        if work.writer?.isBlocked == true { return nil }
        return work.announcedEnd == end.offset && work.writer?.failure == nil ? nil : enough(.enough)
    }

    private func enough(_ end: FetchEnd) -> BodyVerdict {
        work.writer?.flush()
        work.end = work.end ?? end
        return .enough
    }

    /// Creates the writer as soon as there is a target; returns true if there is a writer.
    private func hasWriter() -> Bool {
        guard work.writer == nil else { return true }
        let (target, total) = attachment.withLock { ($0.target, $0.total) }
        guard let target else { return false }
        if work.announced == nil, plan.ask.window == nil {
            work.left = (total ?? plan.ask.known?.total).map { $0 - plan.ask.offset }
        }
        let overlap = plan.position - plan.ask.offset
        work.writer = SegmentWriter(
            target, cursor: cursor, position: plan.position, overlap: overlap, provesOffset: plan.provesOffset)
        return true
    }

    /// Writes the first bytes, which waited for the target.
    private func takeWaiting() -> BodyVerdict? {
        guard !work.waiting.isEmpty else { return nil }
        let first = work.waiting
        work.waiting = []
        // The bytes of an array of integers are initialised, and the span ends before the array does.
        return unsafe take(first.span.bytes)
    }

    private func holdBack() -> BodyVerdict {
        heldBack.store(true, ordering: .relaxed)
        return .pause
    }

    private func limited() -> BodyVerdict {
        if work.writer?.isBlocked == true { return holdBack() }
        let delay = work.hold?.delay ?? .zero
        heldBack.store(delay > .zero, ordering: .relaxed)
        return delay > .zero ? .pauseFor(delay) : .more
    }
}
