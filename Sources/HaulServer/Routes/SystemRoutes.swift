import HTTPTypes
import Haul
import HaulCore
import HaulLibC
import HaulWire
import HummingbirdCore

/// The routes that concern the daemon as a whole.
enum SystemRoutes {
    /// The routes.
    static func all(_ state: DaemonState) -> [APIRoute] {
        [
            APIRoute(.get, APIPath.document, rule: .open) { request in
                try request.allow([])
                return .bytes(PackageResources.openapi_json, type: "application/json")
            },
            APIRoute(.get, APIPath.health, rule: .open) { request in
                try request.allow([])
                let failure = Readiness.shown(state.manager.listFailure, showsPaths: request.isLocal)
                return try .message(
                    HealthMessage(version: state.version, failure: failure),
                    status: failure == nil ? .ok : .serviceUnavailable)
            },
            APIRoute(.get, APIPath.ready, rule: .open) { request in
                try request.allow([])
                let obstacles = await state.obstacles(showsPaths: request.isLocal)
                return try .message(
                    ReadyMessage(version: state.version, obstacles: obstacles),
                    status: obstacles.isEmpty ? .ok : .serviceUnavailable)
            },
            APIRoute(.get, APIPath.info) { request in
                try request.allow([])
                return try .message(try await info(state, isLocal: request.isLocal))
            },
            APIRoute(.get, APIPath.summary) { request in
                try request.allow([])
                return try .message(try await summary(state.manager))
            },
            APIRoute(.post, APIPath.backups) { request in
                try request.allow([])
                _ = try request.message(EmptyRequest.self)
                let path = try await state.manager.backUpList()
                let name = path.pathComponents.last ?? path
                return try .message(BackupMessage(name: name, path: request.isLocal ? path : nil), status: .created)
            },
            APIRoute(.get, APIPath.metrics) { request in
                try request.allow([])
                return .bytes(MetricsText(try await state.figures()).text.utf8, type: MetricsText.type)
            },
            APIRoute(.get, APIPath.events) { try await EventRoute.response($0, state.manager) },
        ]
    }

    private static func info(_ state: DaemonState, isLocal: Bool) async throws -> InfoMessage {
        let manager = state.manager
        var info = InfoMessage(
            version: state.version, pid: Int(getpid()), uptime: state.uptime, roots: state.rules.roots.paths,
            capabilities: Capabilities.names.filter { manager.capabilities.contains($0.capability) }.map(\.name),
            privateAddresses: state.sources(isLocal: isLocal).allowsPrivateAddresses,
            lastEvent: manager.lastEventNumber, firstEvent: try await manager.firstEventNumber,
            notice: manager.openingNotice)
        info.port = state.rules.port
        if isLocal { info.stateFolder = state.rules.stateFolder }
        return info
    }

    /// Returns the summary, with the remaining bytes of the running downloads.
    static func summary(_ manager: DownloadManager) async throws(DownloadError) -> SummaryMessage {
        // Read first: an event that happens meanwhile is then sent again rather than lost.
        let last = manager.lastEventNumber
        let summary = try await manager.summary()
        // The settings limit the number of running downloads, usually to a few.
        let running = summary[.running] > 0 ? try await manager.snapshots(.state(.running), limit: 1000) : []
        let left = running.reduce(into: Int64(0)) { sum, snapshot in
            let progress = snapshot.progress
            let rest = max(0, (progress.totalBytes ?? 0) &- progress.fileBytes)
            sum = sum.addingReportingOverflow(rest).overflow ? .max : sum + rest
        }
        return SummaryMessage(summary, bytesLeft: left, lastEvent: last)
    }
}
