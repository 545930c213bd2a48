import HTTPTypes
import Haul
import HaulCore
import HaulWire
import HummingbirdCore

/// The routes for a single download.
enum OneDownloadRoutes {
    private static let path = APIPath.downloads + "/{id}"

    /// The routes.
    static func all(_ state: DaemonState) -> [APIRoute] {
        let manager = state.manager
        return [
            APIRoute(.get, path) { request in
                try request.allow([])
                return try await show(try request.download(), manager)
            },
            APIRoute(.delete, path) { request in
                try request.allow(["files"])
                let files = try request.choice("files", RemovedFiles.self) ?? .partial
                let id = try request.download()
                try await requireRemovable(files, of: id, state)
                try await manager.remove(id, files: files)
                return Response(status: .noContent)
            },
            command(.patch, nil, ChangeRequest.self, manager) { id, change in
                if let limit = change.rateLimit { _ = try Bounds.check(limit, 0...Bounds.maxRate, "rateLimit") }
                try await manager.set(id, priority: change.priority, rateLimit: change.rateLimit)
            },
        ] + commands(state) + views(manager)
    }

    private static func commands(_ state: DaemonState) -> [APIRoute] {
        let manager = state.manager
        return [
            command(.post, .pause, EmptyRequest.self, manager) { id, _ in try await manager.pause(id) },
            command(.post, .resume, EmptyRequest.self, manager) { id, _ in try await manager.resume(id) },
            command(.post, .cancel, CancelRequest.self, manager) { id, how in
                let keepPartial = how.keepPartial ?? true
                if !keepPartial { try await requireRemovable(.partial, of: id, state) }
                try await manager.cancel(id, keepPartial: keepPartial)
            },
            command(.post, .retry, RetryRequest.self, manager) { id, how in
                try await manager.retry(id, fromStart: how.fromStart ?? false)
            },
            command(.post, .start, EmptyRequest.self, manager) { id, _ in try await manager.startNow(id) },
            command(.post, .move, MoveRequest.self, manager) { id, move in
                try await manager.move(id, to: try Bounds.check(move.to, 0...Int(Int32.max), "to"))
            },
            APIRoute(.put, "\(path)/\(DownloadPart.source.rawValue)") { request in
                try request.allow([])
                let id = try request.download()
                try await replace(try request.message(SourceRequest.self), id, request, state)
                return try await show(id, manager)
            },
        ]
    }

    private static func views(_ manager: DownloadManager) -> [APIRoute] {
        [
            APIRoute(.get, "\(path)/\(DownloadPart.segments.rawValue)") { request in
                try request.allow([])
                let id = try request.download()
                let snapshot = try await manager.snapshot(id)
                let segments = try await manager.segments(id).map {
                    SegmentsMessage.Segment(start: $0.start, end: $0.end, position: $0.position, active: $0.isActive)
                }
                return try .message(SegmentsMessage(totalBytes: snapshot.progress.totalBytes, segments: segments))
            },
            APIRoute(.get, "\(path)/\(DownloadPart.explanation.rawValue)") { request in
                try request.allow([])
                let id = try request.download()
                _ = try await manager.snapshot(id)
                let explanation = try await manager.explanation(id)
                return try .message(explanation.map { ExplanationMessage($0) } ?? ExplanationMessage(factors: []))
            },
        ]
    }

    /// Replaces the source under the rules for the client: what is allowed over the Unix socket may not be allowed to a
    /// web page.
    private static func replace(
        _ source: SourceRequest, _ id: DownloadID, _ request: APIRequest, _ state: DaemonState
    ) async throws(DownloadError) {
        let rules = state.sources(isLocal: request.isLocal)
        if let url = source.url { try rules.check(url) }
        try source.check()
        try await state.manager.replaceSource(
            id, url: source.url, headers: source.headers,
            password: source.password.map { .text($0) },
            bearerToken: source.bearerToken.map { .text($0) },
            publicAddressesOnly: source.url == nil ? nil : rules.limitsToPublicAddresses)
    }

    private static func command<Message: KnownFields>(
        _ method: HTTPRequest.Method, _ part: DownloadPart?, _ type: Message.Type, _ manager: DownloadManager,
        _ change: @escaping @Sendable (DownloadID, Message) async throws -> Void
    ) -> APIRoute {
        APIRoute(method, part.map { "\(path)/\($0.rawValue)" } ?? path) { request in
            try request.allow([])
            let id = try request.download()
            try await change(id, try request.message(type))
            return try await show(id, manager)
        }
    }

    /// Throws an error if one of the files is outside the current roots.
    private static func requireRemovable(
        _ files: RemovedFiles, of id: DownloadID, _ state: DaemonState
    ) async throws {
        var check = RemovalCheck(state)
        try await check.check(try await state.manager.snapshot(id), removing: files)
    }

    private static func show(_ id: DownloadID, _ manager: DownloadManager) async throws -> Response {
        try .message(DownloadMessage(try await manager.snapshot(id)))
    }
}
