import HaulBatch
import HaulCore
import HaulEngine
import Synchronization

/// A row that has ended, on its way into a part.
struct FetchedRow: Sendable {
    var result: RowResult
    /// The content; nil unless the state is `ok`.
    var content: RowContent?
    var key = ""
    var ending = ""
    var host = ""
}

/// Fetches rows over an engine.
struct RowFetch: Sendable {
    /// The bytes that a run fetches ahead of the collector.
    private static let window: Int64 = 1 << 20
    private static let memoryLimit = 64 << 20
    /// Longer pauses that a server asks for are not made with the row: its whole host pauses, and its worker fetches rows
    /// of other hosts.
    ///
    /// Pauses are whole seconds, and a limit must be above zero.
    private static let longestPause = Duration.milliseconds(100)
    /// The time that a further attempt has, however little is left of that of the row.
    private static let shortestTime = Duration.seconds(1)

    private let engine: DownloadEngine
    private let job: BatchJob
    private let robots: RobotsTable?
    private let budget = MemoryBudget(limit: memoryLimit)

    init(_ job: BatchJob, _ engine: DownloadEngine) {
        var job = job
        job.template.connections = .fixed(1)
        job.template.usesLinkedMirrors = false
        (self.job, self.engine) = (job, engine)
        robots = job.followsRobotsText ? RobotsTable(engine, job.template, agent: job.rules.agent) : nil
    }

    /// The end of an attempt.
    enum End: Sendable {
        /// The row has a result.
        case ended(FetchedRow)
        /// The host asked for a pause: the row is to be tried again after it.
        case pause(BatchRow, Duration)
        /// The task was cancelled.
        case cancelled
    }

    /// Fetches a row.
    ///
    /// - Throws: `DownloadError` if a temporary file can't be written, or no more files can be opened: no row can be
    ///   fetched then.
    func run(_ row: BatchRow) async throws(DownloadError) -> End {
        guard let url = row.url else {
            return .ended(ended(row, .refused, RowRefusal.invalidRow, row.problem))
        }
        if let refusal = try await robots?.refusal(of: url) {
            return .ended(ended(row, refusal.state, refusal.reason.code, refusal.reason.message))
        }
        let began = ContinuousClock.now
        let first = row.earlier.began ?? began
        let (collector, ended, total) = await fetch(row, url, since: first)
        var result = ended
        let time = Int64((ContinuousClock.now - began) / .milliseconds(1))
        // Memory that the writer still holds is limited by the writer itself.
        defer { collector.release() }
        if case .failure(let error) = result, error.detail == .longWait, let seconds = collector.facts.retryAfter {
            guard let limit = limit(ofPause: .seconds(seconds), after: total, since: first) else {
                var row = row
                row.earlier = BatchRow.Attempts(count: total, began: first, seen: collector.seen)
                return .pause(row, .seconds(seconds))
            }
            result = .failure(.longWait(error.status ?? 503, seconds, limit.words))
        } else if case .failure(let error) = result, error.isOfMaximumTime, let limit = job.template.maxTime {
            // Attempts have what others before them have left of it.
            result = .failure(.tookTooLong(limit))
        }
        var fetched = FetchedRow(result: RowResult(row.row, .ok), host: row.host)
        fetched.result.milliseconds = time
        fetched.result.attempts = total
        let facts = collector.facts
        fetched.result.finalURL = facts.url?.string
        fetched.result.status = facts.status
        if let failure = collector.failure { throw failure }
        // A limit of the process, which says nothing about the row.
        if case .failure(let error) = result, error.code == .tooManyFiles { throw error }
        let content: (content: RowContent, size: Int64, sha256: String, type: String?)?
        switch result {
        case .success: content = collector.finish()
        case .failure(let error):
            guard collector.refusal != nil || !Task.isCancelled else { return .cancelled }
            content = nil
            fetched.result.state = .failed
            (fetched.result.error, fetched.result.message) = (error.code.rawValue, error.description)
            fetched.result.status = error.status ?? facts.status
        }
        if let refusal = collector.refusal {
            fetched.result.state = .refused
            (fetched.result.error, fetched.result.message) = (refusal.code, refusal.message)
        } else if let content {
            fetched.result.bytes = content.size
            fetched.result.sha256 = content.sha256
            fetched.result.mediaType = content.type
            fetched.content = content.content
            fetched.key = MemberKey.key(of: row.row)
            fetched.ending = MediaType.fileExtension(content.type, path: facts.url?.path ?? url.path)
        }
        return .ended(fetched)
    }

    /// Returns the limit that a pause of a row is beyond; nil if the row may be tried again after it.
    private func limit(
        ofPause pause: Duration, after attempts: Int, since first: ContinuousClock.Instant
    ) -> PauseLimit? {
        let template = job.template
        if let limit = template.maxWait, pause > limit { return .wait(limit) }
        if let limit = template.maxTime, ContinuousClock.now - first + pause >= limit { return .time(limit) }
        return attempts > template.retries ? .retries(template.retries) : nil
    }

    /// Fetches a row, from the start again if its connection broke and the server can't send the rest.
    ///
    /// - Returns: The collector of the last attempt, its result, and the number of all attempts.
    private func fetch(
        _ row: BatchRow, _ url: SourceURL, since first: ContinuousClock.Instant
    ) async -> (collector: RowCollector, result: Result<Int64, DownloadError>, attempts: Int) {
        var attempts = row.earlier.count
        var seen = row.earlier.seen
        var restarts = 0
        var kind: ResponseKind?
        while true {
            let collector = RowCollector(
                job.rules, memoryPerRow: job.memoryPerRow, budget: budget, folder: job.folder, seen: seen)
            var (result, more) = await fetch(row, url, since: first, restarts: restarts, collector)
            if case .success = result, let error = collector.shortfall ?? collector.error(after: kind) {
                result = .failure(error)
            }
            seen = collector.seen
            kind = kind ?? collector.kind
            attempts += more
            restarts += 1
            // What was refused is not requested again.
            guard case .failure(let error) = result, error.detail == .mustStartAgain, error.code != .linkExpired,
                collector.refusal == nil, collector.failure == nil, await waits(beforeRestart: restarts, since: first)
            else { return (collector, result, attempts) }
            collector.release()
        }
    }

    /// Waits before a restart; returns false if the retries or the time of the row are used up, or the task is cancelled.
    private func waits(beforeRestart number: Int, since first: ContinuousClock.Instant) async -> Bool {
        var random = SystemRandomNumberGenerator()
        guard let delay = job.template.retryPolicy.delay(attempt: number, using: &random),
            job.template.maxTime.map({ ContinuousClock.now - first + delay < $0 }) ?? true
        else { return false }
        return (try? await Task.sleep(for: delay)) != nil
    }

    private func fetch(
        _ row: BatchRow, _ url: SourceURL, since first: ContinuousClock.Instant, restarts: Int,
        _ collector: RowCollector
    ) async -> (result: Result<Int64, DownloadError>, attempts: Int) {
        var spec = job.template
        spec.url = row.row.url
        spec.retries -= restarts
        spec.maxWait = min(spec.maxWait ?? Self.longestPause, Self.longestPause)
        if row.earlier.began != nil || restarts > 0, let limit = spec.maxTime {
            spec.maxTime = min(limit, max(Self.shortestTime, limit - (ContinuousClock.now - first)))
        }
        var options = RunOptions()
        options.url = url
        options.observer = ResponseObserver { collector.receive($0, from: $1) }
        let counter = Counter()
        let result = await engine.collect(
            spec, options, window: Self.window,
            onEvent: { event in
                if case .waiting(let reason, _) = event, reason.isBetweenAttempts { counter.add() }
            }, receive: { await collector.receive($0) })
        return (result, 1 + counter.value)
    }

    private func ended(_ row: BatchRow, _ state: RowState, _ code: String, _ message: String?) -> FetchedRow {
        FetchedRow(result: RowResult(row.row, state, error: code, message: message), host: row.host)
    }
}

/// The limit that a pause, which a server asks for, is beyond.
enum PauseLimit: Hashable, Sendable {
    /// The longest wait.
    case wait(Duration)
    /// The time of the row with all attempts.
    case time(Duration)
    /// The number of retries.
    case retries(Int)

    /// The limit, and how to change it.
    var words: String {
        switch self {
        case .wait(let limit): "longer than the \(limit.inWords) allowed: to wait for it, add --max-wait SECONDS"
        case .time(let limit):
            "longer than the row may take (\(limit.inWords)): to wait for it, add --row-deadline SECONDS"
        case .retries(0): "after one attempt: for more, add --retries NUMBER"
        case .retries(let count): "after \(count + 1) attempts: for more, add --retries NUMBER"
        }
    }
}

/// A number that several threads count up.
private final class Counter: Sendable {
    private let count = Atomic(0)
    func add() { count.wrappingAdd(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
}
