import Haul
import HaulCore
import HaulWire

/// An action on many downloads.
struct BulkAction: Sendable {
    private let request: ActionRequest
    private let filter: DownloadFilter

    /// Checks an action.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if neither a condition nor `all` selects the downloads, or
    ///   an option does not belong to the action.
    init(_ request: ActionRequest) throws(DownloadError) {
        self.request = request
        filter = try request.filter?.filter() ?? .all
        guard (filter != .all) != (request.all == true) else {
            throw DownloadError(
                .invalidRequest, "select downloads: give a filter with a condition, or \"all\": true")
        }
        let given: [(String, Bool, ActionRequest.Action)] = [
            ("keepPartial", request.keepPartial != nil, .cancel), ("fromStart", request.fromStart != nil, .retry),
            ("files", request.files != nil, .remove), ("priority", request.priority != nil, .set),
            ("rateLimit", request.rateLimit != nil, .set),
        ]
        if let wrong = given.first(where: { $0.1 && $0.2 != request.action }) {
            throw DownloadError(.invalidRequest, "\(wrong.0) belongs to the action \(wrong.2.rawValue)")
        }
        if let limit = request.rateLimit { _ = try Bounds.check(limit, 0...Bounds.maxRate, "rateLimit") }
        if let priority = request.priority { _ = try Bounds.check(priority, -1000...1000, "priority") }
    }

    /// Performs the action and returns the number of changed downloads.
    ///
    /// - Throws: Also if it would remove files outside the current roots; nothing has changed then.
    func run(_ state: DaemonState) async throws(DownloadError) -> Int {
        let manager = state.manager
        if let files = removedFiles { try await requireRemovable(files, state) }
        return switch request.action {
        case .pause: try await manager.pause(filter)
        case .resume: try await manager.resume(filter)
        case .cancel: try await manager.cancel(filter, keepPartial: request.keepPartial ?? true)
        case .remove: try await manager.remove(filter, files: request.files ?? .partial)
        case .retry: try await manager.retry(filter, fromStart: request.fromStart ?? false)
        case .start: try await each(manager) { id throws(DownloadError) in try await manager.startNow(id) }
        case .set:
            try await each(manager) { id throws(DownloadError) in
                try await manager.set(id, priority: request.priority, rateLimit: request.rateLimit)
            }
        }
    }

    /// The files that the action removes; nil if it removes none.
    private var removedFiles: RemovedFiles? {
        switch request.action {
        case .remove: request.files ?? .partial
        case .cancel: request.keepPartial == false ? .partial : nil
        case .pause, .resume, .retry, .start, .set: nil
        }
    }

    private func requireRemovable(_ files: RemovedFiles, _ state: DaemonState) async throws(DownloadError) {
        guard files != .none else { return }
        var check = RemovalCheck(state)
        try await pages(state.manager) { page throws(DownloadError) in
            for snapshot in page { try await check.check(snapshot, removing: files) }
        }
    }

    /// Changes one download after another; skips those that the action does not apply to, or that were removed
    /// meanwhile.
    private func each(
        _ manager: DownloadManager, _ change: (DownloadID) async throws(DownloadError) -> Void
    ) async throws(DownloadError) -> Int {
        var count = 0
        try await pages(manager) { page throws(DownloadError) in
            for snapshot in page {
                do throws(DownloadError) {
                    try await change(snapshot.id)
                    count += 1
                } catch {
                    guard error.code == .notPossible || error.code == .noSuchDownload else { throw error }
                }
            }
        }
        return count
    }

    /// Calls `body` with all downloads that the action is for, a thousand at a time.
    private func pages(
        _ manager: DownloadManager, _ body: ([DownloadSnapshot]) async throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        var after: DownloadID?
        while true {
            let page = try await manager.snapshots(filter, after: after, limit: 1000)
            try await body(page)
            guard page.count == 1000, let last = page.last else { return }
            after = last.id
        }
    }
}
