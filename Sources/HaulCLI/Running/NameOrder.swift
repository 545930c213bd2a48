import HaulCore
import Synchronization

/// Starts downloads that probably get the same file name one after another, so that the first one in order gets it.
///
/// A download waits until the previous one with the same name has reported its path, or has ended. The final name may
/// differ if the server chooses it.
final class NameOrder: Sendable {
    private struct State {
        /// The last download that was added under a name and has not settled.
        var last: [String: Int] = [:]
        /// The names of downloads that have not settled.
        var names: [Int: String] = [:]
        /// The download that each one waits for.
        var predecessors: [Int: Int] = [:]
        /// The continuation of the task that waits for each download.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The URLs that have taken a path, by path: their files are being saved, or were saved.
        var taken: [String: SourceURL] = [:]
        var isEnded = false
    }

    /// The number of paths that are remembered.
    private static let maxTaken = 100_000

    private let state = Mutex(State())

    /// Adds a download, in the order of the command line and the list.
    func add(_ id: Int, _ spec: borrowing DownloadSpec, _ url: SourceURL) {
        guard let name = Self.expectedPath(spec, url) else { return }
        state.withLock { state in
            state.predecessors[id] = state.last[name]
            state.last[name] = id
            state.names[id] = name
        }
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
    func take(_ path: String, _ url: SourceURL) {
        state.withLock { state in
            if state.taken.count < Self.maxTaken, state.taken[path] == nil { state.taken[path] = url }
        }
    }

    /// Releases the path of a download that has failed.
    func release(_ path: String, _ url: SourceURL) {
        state.withLock { state in
            if state.taken[path] == url { state.taken[path] = nil }
        }
    }

    /// Returns an error if another URL of the same run has taken the download's path.
    func conflict(at path: String, _ url: SourceURL) -> DownloadError? {
        guard let other = state.withLock({ $0.taken[path] }), other != url else { return nil }
        return DownloadError(
            .destinationExists, "\(path) belongs to another URL of this run: \(other.redacted)")
    }

    /// Lets all waiting downloads start, because the run is being stopped.
    func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
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
            return url.query == nil || BinaryName.isKnown(name) ? "\(folder)/\(name)" : nil
        case .hashed: return nil
        }
    }
}
