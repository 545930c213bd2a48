package import HaulBatch
package import HaulCore
package import HaulEngine
import Synchronization

/// Fetches the rows of a shard into parts.
///
///     manifest ─► shard, index ─► RowFeed ─► (a child task each) RowFetch ─► PartWriter ─► parts
///
/// Guarantees: every row that the run has ended has exactly one result, its file is in the part before that, and a row
/// with a result is never fetched again, whenever the process is killed.
package struct BatchRun: Sendable {
    private let job: BatchJob
    private let engine: DownloadEngine
    private let opened: @Sendable () -> Void
    private let report: @Sendable (BatchReport) -> Void

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - opened: Called once the manifest is open, which may take as long as a pipe has no writer.
    ///   - report: Receives the numbers at each interval and at the end.
    package init(
        _ job: BatchJob, _ engine: DownloadEngine, opened: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (BatchReport) -> Void
    ) {
        (self.job, self.engine, self.opened, self.report) = (job, engine, opened, report)
    }

    /// Counts the hosts of a manifest, and assigns them to shards.
    ///
    /// - Throws: `DownloadError`: `invalidRequest` or `fileFailed` if the manifest can't be read.
    package static func plan(_ job: BatchJob) async throws(DownloadError) -> ShardPlan { try await planned(job).plan }

    /// Returns the plan, and the manifest that it belongs to.
    static func planned(_ job: BatchJob) async throws(DownloadError) -> (plan: ShardPlan, manifest: ManifestStart) {
        guard job.manifest != "-" else {
            throw DownloadError(
                .invalidRequest,
                "--shard-by host reads the manifest twice: name a file, or use --shard-by row with standard input")
        }
        var rows = try ManifestRows(job)
        var counts = HostCounts()
        while let portion = try await rows.next() {
            for row in portion { counts.add(BatchRow(row).host) }
        }
        return (ShardPlan(counts, shards: job.shard.count, perHost: job.perHost), rows.read)
    }

    /// Runs until every row of the shard has a result; returns the numbers.
    ///
    /// Cancelling the task ends it early: what was fetched is recorded, and the next run continues.
    ///
    /// - Throws: `DownloadError` if the run can't begin or nothing more can be written.
    package func run() async throws(DownloadError) -> BatchTally {
        var manifest = try ManifestRows(job)
        opened()
        // Rows of a pipe may take a while, and are another process's: first the lock.
        if manifest.size != nil { try await manifest.start() }
        var filter = ShardFilter(byRow: job.shard, perHost: job.perHost)
        let planned = job.needsPlan ? try await Self.planned(job) : nil
        if let planned { filter = ShardFilter(job.shard, by: planned.plan, perHost: job.perHost) }
        let opening = BlockingQueue(label: "haul.open")
        let folder = try await opening.call {
            [job, file = manifest.file, form = manifest.form] () throws(DownloadError) in
            try OutputFolder(job, file, planned: planned?.manifest, form: form)
        }
        try manifest.expect(folder.manifest)
        let recovered = try await opening.call { () throws(DownloadError) in try folder.recover() }
        let (unfinished, next) = (recovered.unfinished, recovered.next)
        // Its last use, so that the index is moved and not copied.
        let scan = ManifestScan(manifest, filter, recovered.index)
        let tally = TallyKeeper(report)
        let feed = RowFeed()
        let failure = FirstFailure()
        let writer = PartWriter(job, folder, next: next, count: { tally.count($0) }) { feed.end(discarding: true) }
        try await writer.resume(unfinished)
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await tally.report(every: job.reportInterval) }
                await withTaskGroup(of: Void.self) { workers in
                    let fetch = RowFetch(job, engine)
                    for _ in 0..<job.jobs {
                        workers.addTask(executorPreference: engine.eventLoopExecutor()) {
                            await work(feed, fetch, writer, failure)
                        }
                    }
                    do throws(DownloadError) {
                        try await read(scan, feed, tally, folder)
                        feed.end(discarding: Task.isCancelled)
                    } catch {
                        failure.set(error)
                        feed.end(discarding: true)
                    }
                }
                tasks.cancelAll()
            }
        } onCancel: {
            feed.end(discarding: true)
        }
        let isWhole = !Task.isCancelled && failure.error == nil
        try await writer.finish(publishing: isWhole)
        if let error = failure.error { throw error }
        tally.end()
        return tally.current
    }

    /// Reads the manifest into the feed: the rows of the shard that have no result yet.
    private func read(
        _ scan: ManifestScan, _ feed: RowFeed, _ tally: TallyKeeper, _ folder: OutputFolder
    ) async throws(DownloadError) {
        let queue = BlockingQueue(label: "haul.settings")
        var form = scan.form
        while !Task.isCancelled, let portion = try await scan.next(job.selection) {
            if form == nil, let found = scan.form {
                form = found
                try await queue.call { () throws(DownloadError) in try folder.agree(on: found) }
            }
            tally.read(portion, scan.estimate)
            var rest = portion.rows[...]
            while !rest.isEmpty {
                await feed.add(rest.prefix(256))
                rest = rest.dropFirst(256)
            }
        }
        guard !Task.isCancelled else { return }
        let whole = scan.read
        try await queue.call { () throws(DownloadError) in try folder.record(whole) }
        tally.readAll()
    }

    private func work(
        _ feed: RowFeed, _ fetch: RowFetch, _ writer: PartWriter, _ failure: FirstFailure
    ) async {
        while let row = await feed.next() {
            do throws(DownloadError) {
                if !Task.isCancelled {
                    switch try await fetch.run(row) {
                    case .ended(let fetched): await writer.add(fetched)
                    case .pause(let row, let pause):
                        feed.putBack(row, after: pause)
                        continue
                    case .cancelled: break
                    }
                }
            } catch {
                failure.set(error)
                feed.end(discarding: true)
            }
            feed.end(row)
        }
    }
}

/// The first error that ends a run.
private final class FirstFailure: Sendable {
    private let state = Mutex<DownloadError?>(nil)

    var error: DownloadError? { state.withLock { $0 } }

    func set(_ error: DownloadError) { state.withLock { $0 = $0 ?? error } }
}

/// The rows of a shard that are to be fetched, in the order of the manifest; used by one task.
private final class ManifestScan {
    /// Rows with the limits of their hosts, and the numbers of those that were left out.
    struct Portion {
        var rows: [(row: BatchRow, limit: Int)] = []
        var earlier: Int64 = 0
        var repeated: Int64 = 0
    }

    /// Memory is reserved for at most this number of rows: an estimate may be wrong.
    private static let maxReserved = 100_000_000

    private var manifest: ManifestRows
    private var filter: ShardFilter
    private var index: RowIndex
    private(set) var estimate = RowEstimate()
    private var hasReserved = false

    init(_ manifest: ManifestRows, _ filter: ShardFilter, _ index: consuming RowIndex) {
        (self.manifest, self.filter) = (manifest, filter)
        self.index = index
    }

    /// Returns the error for a row that has another one's number.
    ///
    /// Without ids, it would get the other's key. With ids, it would be in two shards.
    private static func changed(_ row: ManifestRow) -> DownloadError {
        let (what, advice) =
            switch row.identity {
            case .number:
                ("URL, and rows without an id are known by their number", "use a new folder, or a manifest with ids")
            case .id:
                (
                    "id, and the shard of a row follows from its number",
                    "add new rows only at the end, or use a new folder"
                )
            }
        return DownloadError(
            .notPossible,
            "the manifest has changed since an earlier run into this folder: row \(row.number) had another \(what): "
                + advice)
    }

    /// The bytes of the manifest that were read.
    var read: ManifestStart { manifest.read }
    /// The way the rows are read; nil if none has been read.
    var form: RowForm? { manifest.form }
    private var bytes: Int64 { manifest.bytes }
    private var size: Int64? { manifest.size }

    /// Returns the next rows; nil at the end.
    ///
    /// - Throws: `DownloadError`: `notPossible` if the manifest has changed, or as `ManifestRows.next`.
    func next(_ selection: RowSelection) async throws(DownloadError) -> Portion? {
        guard let rows = try await manifest.next() else { return nil }
        var portion = Portion()
        for row in rows {
            // Most rows of a run that continues have a result, and need no look at their URLs.
            var parsed: BatchRow?
            func host() -> String {
                let row = BatchRow(row)
                parsed = row
                return row.host
            }
            guard let limit = filter.limit(of: host(), row: row.number) else { continue }
            let fingerprint = row.identity.fingerprint
            if index.hasOther(row, fingerprint) { throw Self.changed(row) }
            let entry = index.start(fingerprint)
            if entry == .started {
                portion.repeated += 1
            } else if selection.contains(entry) || entry == .invalid && (parsed ?? BatchRow(row)).problem == nil {
                portion.rows.append((parsed ?? BatchRow(row), limit))
            } else {
                portion.earlier += 1
            }
        }
        estimate.read(Int64(portion.rows.count) + portion.earlier + portion.repeated, at: bytes, of: size)
        // Once, so that the index does not grow later.
        if !hasReserved, let total = estimate.total {
            hasReserved = true
            index.reserve(min(Self.maxReserved, Int(total + total / 50)))
        }
        return portion
    }
}

/// Counts results, and reports the numbers.
private final class TallyKeeper: Sendable {
    private struct State {
        var tally = BatchTally()
        var last: (tally: BatchTally, seconds: Double) = (BatchTally(), 0)
    }

    private let state = Mutex(State())
    private let began = ContinuousClock.now
    private let send: @Sendable (BatchReport) -> Void

    init(_ send: @escaping @Sendable (BatchReport) -> Void) { self.send = send }

    var current: BatchTally { state.withLock { $0.tally } }

    func count(_ row: FetchedRow) {
        let result = row.result
        state.withLock { $0.tally.count(result.state, error: result.error, bytes: result.bytes, host: row.host) }
    }

    /// Counts rows that were read from the manifest.
    func read(_ portion: ManifestScan.Portion, _ estimate: RowEstimate) {
        state.withLock { state in
            state.tally.earlier += portion.earlier
            state.tally.repeated += portion.repeated
            state.tally.estimate = estimate
        }
    }

    /// Records that the manifest has been read to its end.
    func readAll() { state.withLock { $0.tally.estimate.end() } }

    /// Reports at each interval, until the task is cancelled.
    func report(every interval: Duration) async {
        while (try? await Task.sleep(for: interval)) != nil {
            let now = (ContinuousClock.now - began) / .seconds(1)
            let report = state.withLock { state in
                let report = BatchReport(state.tally, at: now, since: state.last, isFinal: false)
                state.last = (state.tally, now)
                return report
            }
            send(report)
        }
    }

    /// Reports the numbers of the whole run.
    func end() {
        let now = (ContinuousClock.now - began) / .seconds(1)
        send(BatchReport(current, at: now, since: (BatchTally(), 0), isFinal: true))
    }
}
