import HTTPTypes
import HaulCore
import HaulTransport
import Synchronization

/// The end of one fetch that receives: decides about the head, hands the body to the writer, says when to pause, and reports.
///
/// This is the hot path: per chunk one write and two counters, on the transport's own thread.
///
/// Unchecked because `work` has no lock: only the transport touches it, in calls that it makes one at a time, and after its last call `settle`. What the engine
/// reads and changes meanwhile stands in the cursor, in atomics and in `attachment`.
final class SegmentSink: FetchSink, @unchecked Sendable {
    /// What only the transport's thread touches.
    private struct Work {
        var writer: SegmentWriter?
        /// The first bytes, until there is a file to write them to.
        var waiting: [UInt8] = []
        var announcedEnd: Int64?
        /// The length of the body, if it was announced.
        var announced: Int64?
        /// Bytes that the answer has announced and that have not come yet.
        var left: Int64?
        var hold: RateHold?
        /// How the fetch ends, where the sink ended it.
        var end: FetchEnd?
        /// A decision that waits for the page that says more, and what has come of that.
        var refusal: (decision: ResponseDecision, page: [UInt8])?
    }

    /// What the engine and the transport tell each other.
    private struct Attachment {
        /// Where the bytes go, once there is a file.
        var target: SegmentWriter.Target?
        /// How the transfer broke before that, while its first bytes were waiting.
        var brokenEarly: TransferOutcome?
    }

    private let plan: FetchPlan
    private let limiters: [RateLimiter]
    private let reader: HeadReader
    private let report: @Sendable (MachineEvent) -> Void
    /// Where the fetch stands that goes on with the same bytes until this one has its answer.
    private let original: SegmentCursor?
    /// Where the segment stands.
    let cursor: SegmentCursor
    private let receivedBytes = Atomic<Int64>(0)
    private let heldBack = Atomic<Bool>(false)
    private let attachment: Mutex<Attachment>
    private var work = Work()

    /// Makes a sink; without a target its first bytes wait for `attach`.
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

    /// Where the fetch is now.
    var sample: FetchSample {
        FetchSample(
            id: plan.id, position: cursor.written, received: receivedBytes.load(ordering: .relaxed),
            isHeldBack: heldBack.load(ordering: .relaxed), writing: cursor.writing)
    }

    /// Says where the bytes go.
    ///
    /// The transfer's handle has to be poked afterwards.
    ///
    /// - Returns: whether the transfer has broken already; then `settle` is due, on a thread that may block.
    func attach(_ target: SegmentWriter.Target, end: Int64?) -> Bool {
        cursor.setEnd(end)
        return attachment.withLock { attachment in
            attachment.target = target
            return attachment.brokenEarly != nil
        }
    }

    /// Reports the end of a transfer that broke while its first bytes were waiting, after writing them if there is a file by now.
    ///
    /// Without this, a server that cuts its answers sooner than a slow disk makes a file would never bring anything.
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
        // In this order: what is reported to the machine has been decided. An original that was faster keeps its bytes.
        if case .take = decision, original?.yield(from: plan.position) == false { return .reject }
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
        guard hasWriter() else {
            // The span is valid for the whole call and the array copies it.
            unsafe bytes.withUnsafeBytes { unsafe work.waiting.append(contentsOf: $0) }
            return holdBack()
        }
        return takeWaiting() ?? take(bytes) ?? limited(bytes.byteCount)
    }

    func woken() -> BodyVerdict {
        if work.refusal != nil { return .more }
        // Before the first bytes there is nothing to hold back, and a silent server must not look like one that is held back.
        guard hasWriter() else { return work.waiting.isEmpty ? .more : holdBack() }
        if let verdict = takeWaiting() { return verdict }
        work.writer?.flushIfStale()
        if let verdict = verdictAtEnd() { return verdict }
        if work.writer?.isBlocked == true { return holdBack() }
        // Asked anew each time: the limits may have changed since.
        let rest = work.hold?.delay ?? .zero
        heldBack.store(rest > .zero, ordering: .relaxed)
        return rest > .zero ? .pauseFor(rest) : .more
    }

    func finished(_ outcome: TransferOutcome) {
        if let refusal = work.refusal {
            report(.head(fetch: plan.id, ErrorPage.read(refusal.page, refusal.decision)))
            return report(.ended(fetch: plan.id, position: cursor.written, .rejected))
        }
        if case .failed = outcome, !work.waiting.isEmpty, waitsForFile(outcome) { return }
        end(with: outcome)
    }
}

extension SegmentSink {
    /// Keeps the end of a broken transfer until there is a file, unless there is one.
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
            work.writer?.flush()
        }
        let received = receivedBytes.load(ordering: .relaxed)
        let body = work.announced.map { (received: received, announced: $0) }
        let end = work.writer?.failure ?? work.end ?? FetchEnd(outcome, body: body)
        report(.ended(fetch: plan.id, position: cursor.written, end))
    }

    /// Takes bytes into the file; a verdict where no more are wanted.
    private func take(_ received: RawSpan) -> BodyVerdict? {
        let announced = Int(min(work.left ?? .max, Int64(received.byteCount)))
        work.left = work.left.map { $0 - Int64(announced) }
        guard work.writer?.take(received.extracting(first: announced)) == true else {
            // Bytes that have no room yet are still wanted; once they have, `woken` finds the segment full.
            return work.writer?.isBlocked == true ? nil : enough(.enough)
        }
        guard announced == received.byteCount else {
            return enough(.broken(DownloadError(.badResponse, "the server sent more data than it announced")))
        }
        return verdictAtEnd()
    }

    /// `enough` where the segment is full or writing failed, but not where the body ends there anyway: then the connection stays good.
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

    /// Makes the writer as soon as there is a file.
    private func hasWriter() -> Bool {
        guard work.writer == nil else { return true }
        guard let target = attachment.withLock({ $0.target }) else { return false }
        let overlap = plan.position - plan.ask.offset
        work.writer = SegmentWriter(
            target, cursor: cursor, position: plan.position, overlap: overlap, provesOffset: plan.provesOffset)
        return true
    }

    /// The first bytes have waited for the file to be opened.
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

    private func limited(_ count: Int) -> BodyVerdict {
        work.hold = RateHold(count, from: limiters)
        if work.writer?.isBlocked == true { return holdBack() }
        let delay = work.hold?.delay ?? .zero
        heldBack.store(delay > .zero, ordering: .relaxed)
        return delay > .zero ? .pauseFor(delay) : .more
    }
}
