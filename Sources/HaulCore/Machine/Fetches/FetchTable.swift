/// The running fetches of a download, oldest first.
///
/// Only the table changes a fetch. Of the bytes that two fetches could write, it knows which of them may: one fetch takes
/// over the later part of another's segment, or yields it when a response arrives.
struct FetchTable: Hashable, Sendable {
    /// The running fetches, oldest first.
    private(set) var all: [ActiveFetch] = []
    /// The number of the next fetch.
    private(set) var nextID = 1
    /// The number of times that a connection was already past the part that another one was started for.
    private(set) var overruns = 0
    /// The fetch whose end is being lowered.
    private var lowered: Int?

    /// True if no fetch is running.
    var isEmpty: Bool { all.isEmpty }

    /// The number of running fetches.
    var count: Int { all.count }

    /// The running fetch with this number.
    subscript(id: Int) -> ActiveFetch? { all.first { $0.id == id } }

    /// The fetches whose response was accepted.
    var accepted: [ActiveFetch] { all.filter(\.isAccepted) }

    /// Returns true if a response from a source was accepted and its fetch is still running.
    func isDelivering(_ source: SourceID) -> Bool { all.contains { $0.isAccepted && $0.source == source } }

    /// Returns the number of fetches from a source.
    func count(from source: SourceID) -> Int { all.count { $0.source == source } }

    /// Returns true if a fetch fills a segment.
    func fills(_ segment: Int) -> Bool { all.contains { $0.segment == segment } }

    /// The segments whose last bytes a backup fetches as well.
    var backedUp: Set<Int> { Set(all.filter(\.plan.isBackup).compactMap(\.segment)) }

    /// True if Haul itself throttles a connection.
    var isHeldBack: Bool { all.contains(where: \.isHeldBack) }

    private mutating func change(_ id: Int, _ change: (inout ActiveFetch) -> Void) {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return }
        change(&all[index])
    }
}

/// The life of a fetch.
extension FetchTable {
    /// Adds a fetch whose request is being sent; its plan has the number `nextID`.
    mutating func begin(_ plan: FetchPlan, now: Duration) {
        all.append(ActiveFetch(plan, now: now))
        nextID = plan.id + 1
    }

    /// Records that the head of a response has arrived, and returns its fetch.
    mutating func receiveHead(_ id: Int, now: Duration) -> ActiveFetch? {
        change(id) { $0.receiveHead(now: now) }
        return self[id]
    }

    /// Records the decision about a response: it is accepted, or rejected for this reason.
    mutating func decide(_ id: Int, _ response: ActiveFetch.Response) { change(id) { $0.response = response } }

    /// Lets a fetch write the segment that it was sent for before there was one.
    mutating func attach(_ id: Int, to segment: Int, reach: Int64, now: Duration) {
        change(id) { $0.attach(to: segment, reach: reach, now: now) }
    }

    /// Records a sample of a fetch, and returns the fetch.
    mutating func receive(_ sample: FetchSample, now: Duration) -> ActiveFetch? {
        change(sample.id) { $0.receive(sample, now: now) }
        return self[sample.id]
    }

    /// Records how far a fetch has written.
    mutating func advance(_ id: Int, to position: Int64) { change(id) { $0.position = position } }

    /// Records that a fetch is cancelled; the stronger one of several reasons remains.
    mutating func cancel(_ id: Int, as reason: ActiveFetch.Cancellation) { change(id) { $0.cancel(as: reason) } }

    /// Removes a fetch that has ended.
    mutating func end(_ id: Int) -> ActiveFetch? {
        if lowered == id { lowered = nil }
        return all.firstIndex { $0.id == id }.map { all.remove(at: $0) }
    }
}

/// Which fetch may write the bytes that two could write.
extension FetchTable {
    /// True while the outcome of a take-over is pending.
    var isTakingOver: Bool { lowered != nil }

    /// Records that the end of a fetch is being lowered.
    mutating func beginTakeOver(of id: Int) { lowered = id }

    /// Ends a pending take-over.
    ///
    /// - Returns: False if none of this fetch is pending.
    mutating func endTakeOver(of id: Int) -> Bool {
        guard lowered == id else { return false }
        lowered = nil
        return true
    }

    /// Forgets a pending take-over, because all fetches are being ended.
    mutating func forgetTakeOver() { lowered = nil }

    /// Ends a fetch at an offset, because another one takes over the part after it.
    mutating func takeOver(_ id: Int, at offset: Int64) { change(id) { $0.reach = offset } }

    /// Ends a fetch at an offset at the latest, because the response for the part after it has arrived.
    mutating func yield(_ id: Int, at offset: Int64) { change(id) { $0.reach = min($0.reach, offset) } }

    /// Returns the fetch that would reach this offset of another segment if it were not stopped before.
    func hedge(of offset: Int64) -> Int? {
        all.first { $0.segment != nil && $0.startPosition <= offset && $0.reach > offset }?.id
    }

    /// Takes a segment from the fetches that fill it, because another fetch has written its first bytes.
    ///
    /// - Returns: Those fetches, which have nothing left to do.
    mutating func overrun(_ segment: Int) -> [Int] {
        overruns += 1
        let idle = all.filter { $0.segment == segment }.map(\.id)
        for id in idle { change(id) { $0.segment = nil } }
        return idle
    }

    /// Records that a request came too late: its bytes had arrived before its response.
    mutating func overrun() { overruns += 1 }
}
