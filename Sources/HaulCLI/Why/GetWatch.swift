package import Haul
package import HaulCore
import Synchronization

/// Watches the downloads of one `haul get`: active downloads and the longest ended ones in full, the others as sums.
package final class GetWatch: Sendable {
    fileprivate struct Entry: Sendable {
        let id: Int
        let url: String
        let watch: TransferWatch
        var path: String?
        var seconds = 0.0
    }

    private struct State: Sendable {
        var running: [Int: Entry] = [:]
        var ended: [Entry] = []
        var others = GetRecord.Others()
        var lastID = 0
        var busySeconds = 0.0
        var changed: Duration = .zero
    }

    /// The number of ended downloads that are kept in full.
    package static let maxEnded = 32

    private let state = Mutex(State())
    private let jobs: Int
    private let now: @Sendable () -> Duration

    /// Watches a run of at most `jobs` downloads at a time; `now` is the time since its start.
    package init(jobs: Int, now: @escaping @Sendable () -> Duration) {
        self.jobs = jobs
        self.now = now
    }

    /// Runs a download with its own watch.
    package func run(
        _ spec: DownloadSpec, onEvent: @escaping @Sendable (TransferEvent) -> Void,
        _ download: (TransferWatch, @escaping @Sendable (TransferEvent) -> Void) async -> Result<
            FinishFacts, DownloadError
        >
    ) async -> Result<FinishFacts, DownloadError> {
        let watch = TransferWatch()
        let id = begin(spec.url, watch)
        let result = await download(watch) { [self] event in
            if case .started(let facts) = event { state.withLock { $0.running[id]?.path = facts.path } }
            onEvent(event)
        }
        end(id)
        return result
    }

    private func begin(_ url: String, _ watch: TransferWatch) -> Int {
        state.withLock { state in
            count(&state)
            state.lastID += 1
            state.running[state.lastID] = Entry(id: state.lastID, url: url, watch: watch)
            return state.lastID
        }
    }

    private func end(_ id: Int) {
        state.withLock { state in
            count(&state)
            guard var entry = state.running.removeValue(forKey: id) else { return }
            entry.seconds = entry.watch.times?.total ?? 0
            guard state.ended.count >= Self.maxEnded else { return state.ended.append(entry) }
            guard let index = state.ended.indices.min(by: { state.ended[$0].seconds < state.ended[$1].seconds }),
                state.ended[index].seconds < entry.seconds
            else { return state.others.add(entry.watch) }
            state.others.add(state.ended[index].watch)
            state.ended[index] = entry
        }
    }

    /// Adds the time since the last change if all slots were taken.
    private func count(_ state: inout State) {
        let now = now()
        if state.running.count >= jobs { state.busySeconds += (now - state.changed).seconds }
        state.changed = now
    }

    /// Returns the current record.
    package func record(process: Int32, began: Int64, updated: Int64, isOver: Bool) -> GetRecord {
        var record = GetRecord(process: process, began: began, updated: updated, jobs: jobs)
        record.isOver = isOver
        record.seconds = now().seconds
        let entries = state.withLock { state in
            count(&state)
            record.busySeconds = state.busySeconds
            record.others = state.others
            return state.ended + state.running.values
        }
        record.downloads = entries.sorted { $0.id < $1.id }.compactMap { entry in
            entry.watch.record.map { GetRecord.Entry(id: entry.id, name: entry.name, record: $0) }
        }
        return record
    }
}

extension GetWatch.Entry {
    fileprivate var name: String {
        if let path { return GetJob.name(ofPath: path) }
        do throws(DownloadError) { return GetJob(id: id, url: try SourceURL(parsing: url)).name } catch { return "?" }
    }
}

extension GetRecord.Others {
    fileprivate mutating func add(_ watch: TransferWatch) {
        count += 1
        bytes = bytes.saturatingSum(watch.receivedBytes)
        seconds += watch.times?.total ?? 0
        asking += watch.times?.asking ?? 0
    }
}
