import HTTPTypes
import Haul
import HaulCore
import HaulWire
import HummingbirdCore

/// The routes for the list of downloads and for adding to it.
enum DownloadRoutes {
    /// The routes.
    static func all(_ state: DaemonState) -> [APIRoute] {
        let semaphore = AsyncSemaphore(2)
        return [
            APIRoute(.get, APIPath.downloads) { try await list($0, state, semaphore) },
            APIRoute(.post, APIPath.downloads, scope: .add) { request in
                try request.allow([])
                let asked = try request.message(DownloadRequest.self)
                let spec = try await state.specs([asked], isLocal: request.isLocal, caller: request.caller)[0].get()
                let download = try await state.manager.add(spec)
                var message = DownloadMessage(try await download.snapshot)
                message.isNew = download.isNew
                return try .message(message, status: download.isNew ? .created : .ok)
            },
            APIRoute(.post, APIPath.batch, scope: .add) { try await addMany($0, state) },
            APIRoute(.post, APIPath.actions) { request in
                try request.allow([])
                let action = try request.message(ActionRequest.self)
                return try .message(ActionMessage(changed: try await BulkAction(action).run(state)))
            },
        ]
    }

    /// The default page size.
    private static let defaultPage = 100

    /// Returns a page.
    ///
    /// The number of concurrent long pages is limited: hundreds at once would need much memory, and delay all other
    /// clients.
    private static func list(
        _ request: APIRequest, _ state: DaemonState, _ semaphore: AsyncSemaphore
    ) async throws -> Response {
        let limit = Int(try request.number("limit", 1...1000) ?? Int64(defaultPage))
        guard limit > defaultPage else { return try await list(request, state, limit) }
        return try await semaphore.pass { try await list(request, state, limit) }
    }

    private static func list(_ request: APIRequest, _ state: DaemonState, _ limit: Int) async throws -> Response {
        try request.allow(APIRequest.filterFields.union(["after", "limit", "order", "count"]))
        let filter = try request.filter()
        let after = try request.number("after", 0...Int64.max).map { DownloadID(rawValue: $0) }
        let isReversed = try request.choice("order", ListOrder.self) == .reversed
        let wantsTotal = try request.flag("count") ?? false
        // Read before the page, so that no event is lost between the page and this number.
        let lastEvent = state.manager.lastEventNumber
        // One more than requested shows if there is a next page.
        var found = try await state.manager.snapshots(filter, after: after, limit: limit + 1, isReversed: isReversed)
        let isLast = found.count <= limit
        if !isLast { found.removeLast() }
        return try .message(
            ListMessage(
                downloads: found.map { DownloadMessage($0) },
                total: wantsTotal ? try await state.manager.count(filter) : nil, next: isLast ? nil : found.last?.id,
                lastEvent: lastEvent))
    }

    private static func addMany(_ request: APIRequest, _ state: DaemonState) async throws -> Response {
        try request.allow([])
        let asked = try request.message(BatchRequest.self).downloads
        let specs = await state.specs(asked, isLocal: request.isLocal, caller: request.caller)
        let good = specs.compactMap { try? $0.get() }
        var added = try await state.manager.add(contentsOf: good)[...]
        var results: [BatchMessage.Result] = []
        for spec in specs {
            switch spec {
            case .failure(let error): results.append(BatchMessage.Result(id: nil, error: error))
            case .success:
                switch added.popFirst() {
                case .success(let download)?:
                    results.append(BatchMessage.Result(id: download.id, isNew: download.isNew, error: nil))
                case .failure(let error)?: results.append(BatchMessage.Result(id: nil, error: error))
                case nil: break
                }
            }
        }
        return try .message(BatchMessage(results: results))
    }
}
