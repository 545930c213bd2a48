import HTTPTypes
import HaulCore
import HaulFiles
import HaulTransport
import Synchronization

/// The end of one fetch that receives: decides about the head, writes the body to its place, and reports.
///
/// This is the hot path: per chunk one write and two counters, on the transport's own thread.
///
/// Unchecked because `work` has no lock: only the transport touches it, in calls that it makes one at a time. What the engine
/// reads and changes meanwhile stands in the cursor, in atomics and in `attachment`.
final class SegmentSink: TransferSink, @unchecked Sendable {
    /// Where the bytes go.
    struct Target {
        var partial: PartialFile
        var slot: SegmentSlot
    }

    /// What only the transport's thread touches.
    private struct Work {
        var target: Target?
        /// Whether the gathered bytes came before there was a target, and are not claimed yet.
        var isWaiting = false
        var position: Int64
        var toCompare: Int64
        var announcedEnd: Int64?
        /// Bytes that the answer has announced and that have not come yet.
        var left: Int64?
        var gathered: [UInt8] = []
        var lastWrite = ContinuousClock.now
        var heldUntil: ContinuousClock.Instant?
        var verdict: FetchEnd?
    }

    private static let gatherLimit = 256 << 10
    private static let longestGathering: Duration = .milliseconds(100)

    private let plan: FetchPlan
    private let limiter: RateLimiter?
    private let wallClock: @Sendable () -> Int64
    private let report: @Sendable (MachineEvent) -> Void
    /// Where the segment stands.
    let cursor: SegmentCursor
    private let receivedBytes = Atomic<Int64>(0)
    private let heldBack = Atomic<Bool>(false)
    private let attachment = Mutex<Target?>(nil)
    private var work: Work

    /// Makes a sink; without a target its bytes wait for `attach`.
    init(
        _ plan: FetchPlan, target: Target?, limiter: RateLimiter?, wallClock: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (MachineEvent) -> Void
    ) {
        self.plan = plan
        self.limiter = limiter
        self.wallClock = wallClock
        self.report = report
        cursor = SegmentCursor(position: plan.position, end: plan.end)
        work = Work(target: target, position: plan.position, toCompare: plan.position - plan.ask.offset)
    }

    /// Where the fetch is now.
    var sample: FetchSample {
        FetchSample(
            id: plan.id, position: cursor.written, received: receivedBytes.load(ordering: .relaxed),
            isHeldBack: heldBack.load(ordering: .relaxed))
    }

    /// Says where the bytes go.
    ///
    /// The transfer's handle has to be poked afterwards.
    func attach(_ target: Target, end: Int64?) {
        cursor.setEnd(end)
        attachment.withLock { $0 = target }
    }

    func head(_ response: HTTPResponse) -> HeadVerdict {
        let decision = ResponseDecision.decide(plan.ask, response, now: wallClock())
        report(.head(fetch: plan.id, decision))
        guard case .take(let facts) = decision else { return .reject }
        work.announcedEnd = facts.end
        work.left = facts.end.map { $0 - facts.offset }
        return .accept
    }

    func body(_ bytes: RawSpan) -> BodyVerdict {
        receivedBytes.wrappingAdd(Int64(bytes.byteCount), ordering: .relaxed)
        guard work.target != nil || pickUpAttachment() else {
            work.isWaiting = true
            gather(bytes)
            return holdBack()
        }
        return takeGathered() ?? take(bytes) ?? limited(bytes.byteCount)
    }

    func poked() -> BodyVerdict {
        // Before the first bytes there is nothing to hold back, and a silent server must not look like one that is held back.
        guard work.target != nil || pickUpAttachment() else { return work.isWaiting ? holdBack() : .more }
        if let verdict = takeGathered() { return verdict }
        if ContinuousClock.now - work.lastWrite >= Self.longestGathering { flush() }
        if let verdict = endVerdict() { return verdict }
        let rest = work.heldUntil.map { $0 - ContinuousClock.now } ?? .zero
        heldBack.store(rest > .zero, ordering: .relaxed)
        return rest > .zero ? .pauseFor(rest) : .more
    }

    func finished(_ outcome: TransferOutcome) {
        if work.target != nil || pickUpAttachment() {
            _ = takeGathered()
            flush()
        }
        report(.ended(fetch: plan.id, position: cursor.written, work.verdict ?? FetchEnd(outcome)))
    }
}

extension SegmentSink {
    /// Takes bytes into the file; a verdict where no more are wanted.
    private func take(_ received: RawSpan) -> BodyVerdict? {
        guard work.verdict == nil else { return .enough }
        let announced = Int(min(work.left ?? .max, Int64(received.byteCount)))
        work.left = work.left.map { $0 - Int64(announced) }
        if let verdict = place(received.extracting(first: announced)) { return verdict }
        guard announced < received.byteCount else { return nil }
        flush()
        work.verdict = work.verdict ?? .broken(DownloadError(.badResponse, "the server sends more than it announced"))
        return .enough
    }

    /// Compares what is there already, writes what is not.
    private func place(_ bytes: RawSpan) -> BodyVerdict? {
        let compared = Int(min(work.toCompare, Int64(bytes.byteCount)))
        if compared > 0 {
            work.verdict = mismatch(bytes.extracting(first: compared))
            guard work.verdict == nil else { return .enough }
        }
        work.toCompare -= Int64(compared)
        let fresh = bytes.extracting(droppingFirst: compared)
        let count = cursor.claim(fresh.byteCount)
        put(fresh.extracting(first: count))
        if count < fresh.byteCount {
            flush()
            work.verdict = work.verdict ?? .enough
            return .enough
        }
        return endVerdict()
    }

    /// `enough` where the segment is full or writing failed, but not where the body ends there anyway: then the connection stays good.
    private func endVerdict() -> BodyVerdict? {
        if work.verdict != nil { return .enough }
        let end = cursor.end
        guard end.isReached else { return nil }
        flush()
        if work.verdict == nil, work.announcedEnd == end.offset { return nil }
        work.verdict = work.verdict ?? .enough
        return .enough
    }

    private func put(_ bytes: RawSpan) {
        if work.gathered.isEmpty, bytes.byteCount >= Self.gatherLimit { return write(bytes) }
        gather(bytes)
        if work.gathered.count >= Self.gatherLimit || ContinuousClock.now - work.lastWrite >= Self.longestGathering {
            flush()
        }
    }

    private func gather(_ bytes: RawSpan) {
        if work.gathered.capacity == 0 { work.gathered.reserveCapacity(Self.gatherLimit + (64 << 10)) }
        // The span is valid for the whole call and the array copies it.
        unsafe bytes.withUnsafeBytes { unsafe work.gathered.append(contentsOf: $0) }
    }

    private func flush() {
        guard !work.gathered.isEmpty else { return }
        // Taken out for the call, since writing changes `work`; put back for its capacity.
        var bytes: [UInt8] = []
        swap(&bytes, &work.gathered)
        // The bytes of an array of integers are initialised, and the span ends before the array changes.
        unsafe write(bytes.span.bytes)
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &work.gathered)
    }

    private func write(_ bytes: RawSpan) {
        guard let target = work.target, work.verdict == nil, bytes.byteCount > 0 else { return }
        do throws(FileError) {
            try target.partial.write(bytes, at: work.position)
            work.position += Int64(bytes.byteCount)
            try target.partial.record(slot: target.slot, written: work.position)
            cursor.didWrite(upTo: work.position)
        } catch {
            work.verdict = .fileFailed(error.downloadError)
        }
        work.lastWrite = ContinuousClock.now
    }

    /// What is wrong with bytes that should stand in the file already; nil where they do.
    private func mismatch(_ bytes: RawSpan) -> FetchEnd? {
        guard let partial = work.target?.partial else { return .differs }
        var there = [UInt8](repeating: 0, count: bytes.byteCount)
        let offset = work.position - work.toCompare
        do throws(FileError) {
            var span = there.mutableSpan
            // The buffers are valid for their whole closures, and both exactly as long as `there`.
            let count = try unsafe span.withUnsafeMutableBytes { buffer throws(FileError) in
                unsafe try partial.read(into: buffer, at: offset)
            }
            guard count == there.count else { return .differs }
            return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(there) } ? nil : .differs
        } catch {
            return .fileFailed(error.downloadError)
        }
    }

    private func pickUpAttachment() -> Bool {
        work.target = attachment.withLock { $0 }
        return work.target != nil
    }

    /// The first bytes have waited for the file to be opened.
    private func takeGathered() -> BodyVerdict? {
        guard work.isWaiting else { return nil }
        work.isWaiting = false
        let first = work.gathered
        work.gathered = []
        // As above.
        return unsafe take(first.span.bytes)
    }

    private func holdBack() -> BodyVerdict {
        heldBack.store(true, ordering: .relaxed)
        return .pause
    }

    private func limited(_ count: Int) -> BodyVerdict {
        guard let delay = limiter?.take(count), delay > .zero else {
            work.heldUntil = nil
            heldBack.store(false, ordering: .relaxed)
            return .more
        }
        work.heldUntil = ContinuousClock.now + delay
        heldBack.store(true, ordering: .relaxed)
        return .pauseFor(delay)
    }
}
