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
    func run(_ manager: DownloadManager) async throws(DownloadError) -> Int {
        switch request.action {
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

    /// Changes one download after another; skips those that the action does not apply to, or that were removed
    /// meanwhile.
    private func each(
        _ manager: DownloadManager, _ change: (DownloadID) async throws(DownloadError) -> Void
    ) async throws(DownloadError) -> Int {
        var (count, after): (Int, DownloadID?) = (0, nil)
        while true {
            let page = try await manager.snapshots(filter, after: after, limit: 1000)
            for snapshot in page {
                do throws(DownloadError) {
                    try await change(snapshot.id)
                    count += 1
                } catch {
                    guard error.code == .notPossible || error.code == .noSuchDownload else { throw error }
                }
            }
            guard page.count == 1000, let last = page.last else { return count }
            after = last.id
        }
    }
}
