import Dispatch
import HaulBatch
import HaulCore
import Synchronization

/// A row that is to be fetched.
struct BatchRow: Sendable {
    var row: ManifestRow
    /// The URL; nil if it is not valid.
    var url: SourceURL?
    /// The reason why the row can't be fetched.
    var problem: String?
    /// The attempts that ended with a pause of the host.
    var earlier = Attempts()

    /// Attempts, the time since the first one began, and the versions that they have shown.
    struct Attempts: Sendable {
        var count = 0
        var began: ContinuousClock.Instant?
        var seen = SeenVersions()
    }

    /// Reads the URL of a row.
    init(_ row: ManifestRow) {
        self.row = row
        problem = row.problem
        guard row.problem == nil else { return }
        do throws(DownloadError) {
            url = try SourceURL(parsing: row.url)
            if url?.isWeb == false { (url, problem) = (nil, "not an http or https URL") }
        } catch {
            problem = error.message
        }
    }

    /// The host; empty without a valid URL.
    var host: String { url?.host ?? "" }
}

/// Hands rows, which are read ahead, to workers, so that no host has more rows at a time than its limit.
final class RowFeed: Sendable {
    private typealias Worker = CheckedContinuation<BatchRow?, Never>

    private struct State {
        var queue = RowQueue<BatchRow>()
        var isEnded = false
        var workers: [Worker] = []
        var reader: CheckedContinuation<Void, Never>?
        var isDiscarding = false
        /// The time of the next end of pauses that is planned.
        var timer: Duration?

        mutating func take() -> BatchRow? { queue.next()?.item }
        var isFull: Bool { queue.count >= RowFeed.limit && !isEnded }
        /// True if no row will come.
        var isOver: Bool { isEnded && queue.count == 0 }
    }

    /// Reading ahead pauses when this number of rows waits: enough to find rows of many hosts.
    private static let limit = 8192

    private let state = Mutex(State())
    private let start = ContinuousClock.now

    /// Returns the next row; nil at the end.
    ///
    /// The row's end must be reported with `end`.
    func next() async -> BatchRow? {
        await withCheckedContinuation { worker in
            let (row, isOver, reader) = state.withLock {
                state -> (BatchRow?, Bool, CheckedContinuation<Void, Never>?) in
                let row = state.take()
                let isOver = row == nil && state.isOver
                if row == nil, !isOver { state.workers.append(worker) }
                return (row, isOver, Self.reader(&state))
            }
            reader?.resume()
            if let row { worker.resume(returning: row) } else if isOver { worker.resume(returning: nil) }
        }
    }

    /// Ends a row, so that another one of its host may start.
    func end(_ row: BatchRow) {
        let (worker, next, idle) = state.withLock { state -> (Worker?, BatchRow?, [Worker]) in
            state.queue.end(host: row.host)
            guard !state.isOver else {
                defer { state.workers = [] }
                return (nil, nil, state.workers)
            }
            guard !state.workers.isEmpty, let next = state.take() else { return (nil, nil, []) }
            return (state.workers.removeLast(), next, [])
        }
        worker?.resume(returning: next)
        for worker in idle { worker.resume(returning: nil) }
    }

    /// Ends a row, which is tried again when its host, which asked for that, has had a pause.
    func putBack(_ row: BatchRow, after pause: Duration) {
        let end = ContinuousClock.now - start + pause
        let isLeft = state.withLock { state in
            guard !state.isDiscarding else { return true }
            state.queue.putBack(row, host: row.host, until: end)
            return false
        }
        isLeft ? self.end(row) : endPauses(at: end)
    }

    /// Ends pauses at a time, unless that is done before anyway.
    private func endPauses(at time: Duration) {
        let isFirst = state.withLock { state in
            guard state.timer.map({ time < $0 }) ?? true else { return false }
            state.timer = time
            return true
        }
        guard isFirst else { return }
        let wait = max(.zero, time - (ContinuousClock.now - start))
        DispatchQueue.global().asyncAfter(deadline: .now() + wait / .seconds(1)) { [self] in endPauses(of: time) }
    }

    private func endPauses(of timer: Duration) {
        let now = ContinuousClock.now - start
        let (served, next) = state.withLock { state -> ([(Worker, BatchRow)], Duration?) in
            if state.timer == timer { state.timer = nil }
            let next = state.queue.endPauses(now: now)
            return (Self.serve(&state), next)
        }
        for (worker, row) in served { worker.resume(returning: row) }
        if let next { endPauses(at: next) }
    }

    /// Gives rows to waiting workers.
    private static func serve(_ state: inout State) -> [(Worker, BatchRow)] {
        var served: [(Worker, BatchRow)] = []
        while !state.workers.isEmpty, let row = state.take() { served.append((state.workers.removeLast(), row)) }
        return served
    }

    /// Adds rows, each with the limit of its host; waits while there are too many.
    func add(_ rows: ArraySlice<(row: BatchRow, limit: Int)>) async {
        let served = state.withLock { state -> [(Worker, BatchRow)] in
            guard !state.isEnded else { return [] }
            for (row, limit) in rows { state.queue.add(row, host: row.host, limit: limit) }
            return Self.serve(&state)
        }
        for (worker, row) in served { worker.resume(returning: row) }
        await withCheckedContinuation { reader in
            let isFull = state.withLock { state in
                guard state.isFull else { return false }
                state.reader = reader
                return true
            }
            if !isFull { reader.resume() }
        }
    }

    /// Ends the feed; rows not yet taken are still handed out, or dropped if `discarding`.
    func end(discarding: Bool) {
        let (workers, reader) = state.withLock { state -> ([Worker], CheckedContinuation<Void, Never>?) in
            state.isEnded = true
            if discarding { (state.queue, state.isDiscarding) = (RowQueue(), true) }
            defer { state.reader = nil }
            guard state.isOver else { return ([], state.reader) }
            defer { state.workers = [] }
            return (state.workers, state.reader)
        }
        for worker in workers { worker.resume(returning: nil) }
        reader?.resume()
    }

    private static func reader(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard state.queue.count <= limit / 2 else { return nil }
        defer { state.reader = nil }
        return state.reader
    }
}
