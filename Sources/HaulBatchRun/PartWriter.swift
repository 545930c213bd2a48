import CHaulSystem
import HaulBatch
import HaulCore
import HaulEngine
import HaulLibC
import Synchronization

/// Writes rows into parts, on a thread of its own, as fast as they come.
///
///     workers ── add ──► queue ──► data, then results ──► (part is full) ──► publish, on another thread
///
/// Rows that come while it writes are written together. A part is synced and named while the next one is filled.
final class PartWriter: Sendable {
    private struct State {
        var rows: [FetchedRow] = []
        var bytes: Int64 = 0
        var isWorking = false
        var failure: DownloadError?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// State of the writing thread.
    private struct Parts {
        var open: OpenPart?
        var next: Int
    }

    /// The content that may wait in memory; more makes `add` wait.
    private static let limit: Int64 = 32 << 20

    private let folder: OutputFolder
    private let shard: Int
    private let rowsPerPart: Int
    private let state = Mutex(State())
    private let parts: Mutex<Parts>
    private let writing = BlockingQueue(label: "haul.parts")
    private let publishing = BlockingQueue(label: "haul.publish")
    private let count: @Sendable (FetchedRow) -> Void
    private let onFailure: @Sendable () -> Void

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - count: Called for each row that is written, with its content dropped.
    ///   - onFailure: Called once if nothing more can be written.
    init(
        _ job: BatchJob, _ folder: OutputFolder, next: Int, count: @escaping @Sendable (FetchedRow) -> Void,
        onFailure: @escaping @Sendable () -> Void
    ) {
        (self.folder, shard, rowsPerPart) = (folder, job.partShard, max(1, job.rowsPerPart))
        parts = Mutex(Parts(next: next))
        (self.count, self.onFailure) = (count, onFailure)
    }

    /// The reason why nothing more can be written; nil if there is none.
    var failure: DownloadError? { state.withLock { $0.failure } }

    /// Continues the unfinished parts of a killed run: completes all but the last.
    func resume(_ unfinished: [OutputFolder.Unfinished]) async throws(DownloadError) {
        for part in unfinished {
            await writing.run { [self] in
                attempt { () throws(DownloadError) in
                    try parts.withLock { parts throws(DownloadError) in
                        if let full = parts.open.take() { try complete(full) }
                        parts.open = try OpenPart(
                            part.name, in: folder, recovery: part.recovery, modified: WallClock.now())
                    }
                }
            }
        }
        if let failure { throw failure }
    }

    /// Adds a row; waits while too much is waiting.
    func add(_ row: FetchedRow) async {
        let size = Self.memory(row)
        let (starts, isFull) = state.withLock { state -> (Bool, Bool) in
            guard state.failure == nil else { return (false, false) }
            state.rows.append(row)
            state.bytes += size
            defer { state.isWorking = true }
            return (!state.isWorking, state.bytes > Self.limit)
        }
        if starts { writing.start { [self] in drain() } }
        guard isFull else { return }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.bytes > Self.limit, state.failure == nil else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Writes everything that was added, and completes the last part unless it may get more rows.
    ///
    /// - Throws: `DownloadError` if anything could not be written; the part in which that happened stays unfinished, and the
    ///   next run continues it after its last whole row.
    func finish(publishing publishes: Bool) async throws(DownloadError) {
        await writing.run { [self] in
            drain()
            attempt { () throws(DownloadError) in
                try parts.withLock { parts throws(DownloadError) in
                    guard let last = parts.open.take(), publishes, failure == nil else { return }
                    try complete(last)
                }
            }
        }
        await publishing.run {}
        if let failure { throw failure }
    }

    private static func memory(_ row: FetchedRow) -> Int64 {
        // A result takes some memory, too.
        if case .memory(let bytes)? = row.content { Int64(bytes.count) + 1024 } else { 1024 }
    }

    /// Writes what is waiting until nothing is.
    private func drain() {
        while true {
            let (rows, waiting) = state.withLock { state -> ([FetchedRow], [CheckedContinuation<Void, Never>]) in
                defer { (state.rows, state.bytes, state.waiting) = ([], 0, []) }
                if state.rows.isEmpty { state.isWorking = false }
                return (state.rows, state.waiting)
            }
            for continuation in waiting { continuation.resume() }
            guard !rows.isEmpty else { return }
            attempt { () throws(DownloadError) in try write(rows) }
        }
    }

    private func write(_ rows: [FetchedRow]) throws(DownloadError) {
        guard failure == nil else { return }
        try parts.withLock { parts throws(DownloadError) in
            var written = 0
            func countWritten(to end: Int) {
                for index in written..<end {
                    var row = rows[index]
                    row.content = nil
                    count(row)
                }
                written = end
            }
            for (index, row) in rows.enumerated() {
                if parts.open == nil {
                    let name = PartName(shard: shard, part: parts.next)
                    parts.open = try OpenPart(name, in: folder, modified: WallClock.now())
                    parts.next += 1
                }
                try parts.open?.add(row)
                guard let rows = parts.open?.draft.rows, rows >= rowsPerPart else { continue }
                try parts.open?.flush()
                countWritten(to: index + 1)
                if let full = parts.open.take() { publish(full) }
            }
            try parts.open?.flush()
            countWritten(to: rows.count)
        }
    }

    /// Publishes a part, or removes one without rows, which a run on a full disk leaves: no other run would complete it.
    private func complete(_ part: OpenPart) throws(DownloadError) {
        if part.draft.rows > 0 { publish(part) } else { try folder.discard(part.draft.name) }
    }

    private func publish(_ part: OpenPart) {
        publishing.start { [self] in
            var part = part
            attempt { () throws(DownloadError) in try part.publish() }
            // Blocks of all sizes come and go for hours; what is free between them would add up.
            haul_give_memory_back()
        }
    }

    /// Runs work whose failure ends the run.
    private func attempt(_ work: () throws(DownloadError) -> Void) {
        do throws(DownloadError) {
            try work()
        } catch {
            let isFirst = state.withLock { state in
                defer { state.failure = state.failure ?? error }
                return state.failure == nil
            }
            if isFirst { onFailure() }
        }
    }
}
