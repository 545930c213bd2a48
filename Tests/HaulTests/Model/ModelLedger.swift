import HaulCore
import HaulStore

/// What the state events say, added up: where each download stands, and whether a run of it is open.
struct ModelLedger {
    /// Where a download stands by its events alone.
    enum Standing: Hashable {
        /// Added: it waits, or is paused where the spec said so.
        case added
        /// It waits or runs.
        case pending
        case paused(PauseReason)
        case held
        case finished
        case failed
        case cancelled(keptPartial: Bool)
        case removed
    }

    private(set) var standings: [DownloadID: Standing] = [:]
    /// Those whose run has started and not ended.
    private(set) var open: Set<DownloadID> = []
    private(set) var last: Int64 = 0
    /// What was wrong.
    private(set) var faults: [String] = []

    /// Takes an event.
    mutating func receive(_ event: DownloadEvent) {
        if event.number != last + 1 { faults.append("event \(event.number) follows \(last)") }
        last = event.number
        let old = standings[event.download]
        guard let new = Self.next(old, event.kind) else {
            faults.append("event \(event.number): \(event.kind) of \(event.download), which stood at \(describe(old))")
            return
        }
        standings[event.download] = new
        if case .started = event.kind, !open.insert(event.download).inserted {
            faults.append("event \(event.number): \(event.download) started twice without an end")
        }
        if event.kind.endsRun { open.remove(event.download) }
    }

    /// Whether a record says what the events say.
    func agrees(_ record: StoredRecord) -> Bool {
        let standing = Self.standing(of: record)
        switch standings[record.id] {
        case .added: return standing == (record.spec.startsPaused ? .paused(.asked) : .pending)
        case let known: return known == standing
        }
    }

    /// Those that the list must have.
    var present: Set<DownloadID> { Set(standings.filter { $0.value != .removed }.keys) }

    private static func standing(of record: StoredRecord) -> Standing {
        switch record.status {
        case .queued, .active: .pending
        case .paused(let reason): .paused(reason)
        case .held: .held
        case .finished: .finished
        case .failed: .failed
        case .cancelled(let kept): .cancelled(keptPartial: kept)
        }
    }

    private func describe(_ standing: Standing?) -> String { standing.map { "\($0)" } ?? "nothing" }

    /// Where an event leads; nil where it can't come.
    private static func next(_ old: Standing?, _ kind: DownloadEvent.Kind) -> Standing? {
        guard let old else { return kind == .added ? .added : nil }
        if old == .removed { return nil }
        let isPending = old == .added || old == .pending
        switch kind {
        case .snapshot, .progress, .added: return nil
        case .removed: return .removed
        case .changed: return old
        case .started, .notice: return isPending ? .pending : nil
        case .waiting(let reason, _): return isPending ? standing(waitingFor: reason) : nil
        case .finished: return isPending ? .finished : nil
        case .failed: return isPending ? .failed : nil
        case .paused(let reason): return isPending ? .paused(reason) : nil
        case .resumed: return .pending
        case .sourceReplaced: return old == .finished ? nil : old
        case .cancelled(let kept):
            switch old {
            case .finished, .removed: return nil
            // Cancelled once more, now without the partial.
            case .cancelled: return kept ? nil : .cancelled(keptPartial: kept)
            case .added, .pending, .paused, .held, .failed: return .cancelled(keptPartial: kept)
            }
        }
    }

    private static func standing(waitingFor reason: WaitReason) -> Standing {
        switch reason {
        case .linkExpired, .credentials: .held
        case .space, .openFiles, .network, .meteredNetwork, .turn, .host, .connections, .start, .notBefore, .dependency,
            .serverAsked, .retrying:
            .pending
        }
    }
}
