import HaulCore
import HaulFiles
import Synchronization

/// Starts downloads that probably get the same file name one after another, so that the first one in order gets it.
///
/// A download waits until the previous one with the same name has reported its path, or has ended. The final name may
/// differ if the server chooses it.
final class NameOrder: Sendable {
    private struct State {
        /// The last download that was added under a name and has not settled.
        var last: [ByteKey: Int] = [:]
        /// The names of downloads that have not settled.
        var names: [Int: ByteKey] = [:]
        /// The download that each one waits for.
        var predecessors: [Int: Int] = [:]
        /// The continuation of the task that waits for each download.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var taken = TakenPaths()
        /// The downloads that have their path and have not ended.
        var running: Set<Int> = []
        /// The continuations of the tasks that wait for the end of each download.
        var repeats: [Int: [CheckedContinuation<Void, Never>]] = [:]
        /// The downloads whose kept file may be that of another download.
        var doubtful: [(GetJob, FinishFacts)] = []
        var isEnded = false
    }

    /// The cause of the error for a URL whose file name another URL of the run has.
    static let sharedName = "both URLs have the same file name"

    private let state = Mutex(State())
    /// The time of the start, in seconds since 1970.
    private let start: Int64

    /// Creates an order for a run that starts now.
    init(now: Int64) { start = now }

    /// Adds a download, in the order of the command line and the list.
    func add(_ id: Int, _ spec: borrowing DownloadSpec, _ url: SourceURL) {
        guard let path = Self.expectedPath(spec, url) else { return }
        state.withLock { state in
            let name = state.taken.key(of: path)
            state.predecessors[id] = state.last[name]
            state.last[name] = id
            state.names[id] = name
        }
    }

    /// Returns true if the download has to wait for its turn.
    func mustWait(_ id: Int) -> Bool {
        state.withLock { state in state.predecessors[id].map { state.names[$0] != nil } ?? false }
    }

    /// Waits until the download may start.
    func turn(of id: Int) async {
        guard state.withLock({ $0.predecessors[id] != nil }) else { return }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard !state.isEnded, let predecessor = state.predecessors[id], state.names[predecessor] != nil else {
                    return false
                }
                state.waiting[predecessor] = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Records that a download has its path, or has ended.
    func settle(_ id: Int) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let name = state.names.removeValue(forKey: id) else { return nil }
            state.predecessors[id] = nil
            if state.last[name] == id { state.last[name] = nil }
            return state.waiting.removeValue(forKey: id)
        }
        next?.resume()
    }

    /// Records that a download has its path.
    ///
    /// Must be called before `settle(_:)`, because the next download checks it.
    func take(_ path: String, _ job: GetJob) {
        state.withLock { state in
            state.taken.take(path, job)
            state.running.insert(job.id)
        }
    }

    /// Records that a download has ended.
    func end(_ id: Int) {
        settle(id)
        let waiting = state.withLock { state in
            state.running.remove(id)
            return state.repeats.removeValue(forKey: id) ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the end of an earlier download of the same file to this path.
    ///
    /// - Returns: False if there is none, or if it has failed.
    func waitForSame(at path: String, _ job: GetJob) async -> Bool {
        guard let owner = owner(of: path), owner.id != job.id, TakenPaths.isSame(owner, job) else { return false }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard !state.isEnded, state.running.contains(owner.id) else { return false }
                state.repeats[owner.id, default: []].append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return self.owner(of: path)?.id == owner.id
    }

    /// Releases the path of a download that has failed.
    func release(_ path: String, _ job: GetJob) { state.withLock { $0.taken.release(path, job) } }

    /// Returns an error if a download of the same run with another file has taken the download's path.
    func conflict(at path: String, _ job: GetJob) -> DownloadError? {
        Self.conflict(at: path, job, with: owner(of: path))
    }

    /// Records that the existing file at a path was kept as the file of a download.
    ///
    /// Must be called before `settle(_:)`.
    ///
    /// - Returns: An error if a download of the same run with another file has taken the path: the file can only be
    ///   that of one of them.
    func keep(_ path: String, _ job: GetJob) -> DownloadError? {
        let owner = state.withLock { state in
            let owner = state.taken.owner(of: path)
            if owner == nil { state.taken.take(path, job) }
            return owner
        }
        return Self.conflict(at: path, job, with: owner)
    }

    /// Returns true if a file may have been created since the run began; clocks of file systems may be a second late.
    func mayBeNew(_ file: InodeIdentity) -> Bool { file.birthSeconds == 0 || file.birthSeconds >= start - 2 }

    /// Remembers a download whose kept file may be that of another one, until all have ended.
    func doubt(_ job: GetJob, _ facts: FinishFacts) { state.withLock { $0.doubtful.append((job, facts)) } }

    /// The downloads whose kept file may be that of another one.
    var doubtful: [(GetJob, FinishFacts)] { state.withLock { $0.doubtful } }

    /// Returns an error if a finished file has replaced another one of the same run.
    func replacement(at path: String, _ job: GetJob) -> DownloadError? {
        guard let owner = owner(of: path), !TakenPaths.isSame(owner, job) else { return nil }
        return DownloadError(
            .destinationExists,
            "\(path) was the file of \(Self.name(owner, job)), and \(job.shownURL) has replaced it",
            cause: Self.sharedName)
    }

    private func owner(of path: String) -> TakenPaths.Owner? { state.withLock { $0.taken.owner(of: path) } }

    private static func conflict(at path: String, _ job: GetJob, with owner: TakenPaths.Owner?) -> DownloadError? {
        guard let owner, !TakenPaths.isSame(owner, job) else { return nil }
        return DownloadError(
            .destinationExists,
            "\(path) is the file of \(name(owner, job)), so \(job.shownURL) was not downloaded", cause: sharedName)
    }

    /// Returns the name of the owner of a path in the message about a download.
    private static func name(_ owner: TakenPaths.Owner, _ job: GetJob) -> String {
        guard let url = owner.url else { return "another download of this run" }
        return url == job.url ? "the same URL with other options" : url.redacted
    }

    /// Lets all waiting downloads start, because the run is being stopped.
    func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { (state.waiting, state.repeats) = ([:], [:]) }
            return Array(state.waiting.values) + state.repeats.values.joined()
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns the path that a download gets unless the server names the file; nil if the server probably does.
    ///
    /// The last component of a URL with a query is often the name of a program on the server.
    static func expectedPath(_ spec: borrowing DownloadSpec, _ url: SourceURL) -> String? {
        switch spec.destination {
        case .file(let path): return path
        case .folder(let folder):
            let name = FileName.suggested(contentDisposition: nil, url: url)
            return url.query == nil || BinaryName.isNoPage(name) ? "\(folder)/\(name)" : nil
        case .hashed: return nil
        }
    }
}
