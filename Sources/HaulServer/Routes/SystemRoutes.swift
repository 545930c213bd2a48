import HTTPTypes
import Haul
import HaulCore
import HaulLibC
import HaulWire
import HummingbirdCore

/// What is of the daemon, and of no single download.
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
                let failure = state.manager.listFailure
                return try .message(
                    HealthMessage(version: state.version, failure: failure),
                    status: failure == nil ? .ok : .serviceUnavailable)
            },
            APIRoute(.get, APIPath.info) { request in
                try request.allow([])
                return try .message(await info(state, isLocal: request.isLocal))
            },
            APIRoute(.get, APIPath.summary) { request in
                try request.allow([])
                return try .message(try await summary(state.manager))
            },
            APIRoute(.get, APIPath.metrics) { request in
                try request.allow([])
                let text = MetricsText.text(try await summary(state.manager), version: state.version)
                return .bytes(text.utf8, type: "text/plain; version=0.0.4; charset=utf-8")
            },
            APIRoute(.get, APIPath.events) { try await EventRoute.response($0, state.manager) },
        ]
    }

    private static func info(_ state: DaemonState, isLocal: Bool) async -> InfoMessage {
        let manager = state.manager
        var info = InfoMessage(
            version: state.version, pid: Int(getpid()), uptime: state.uptime, roots: state.rules.roots.paths,
            capabilities: Capabilities.names.filter { manager.capabilities.contains($0.capability) }.map(\.name),
            privateAddresses: state.sources(isLocal: isLocal).allowsPrivateAddresses,
            lastEvent: manager.lastEventNumber, firstEvent: await manager.firstEventNumber,
            notice: manager.openingNotice)
        info.port = state.rules.port
        if isLocal { info.stateFolder = state.rules.stateFolder }
        return info
    }

    /// The summary, with what those that run still have to fetch.
    static func summary(_ manager: DownloadManager) async throws(DownloadError) -> SummaryMessage {
        // Read first: what happens meanwhile is told once more rather than not at all.
        let last = manager.lastEventNumber
        let summary = await manager.summary()
        // As many run at once as the settings allow: seldom more than a few.
        let running = summary[.running] > 0 ? try await manager.snapshots(.state(.running), limit: 1000) : []
        let left = running.reduce(into: Int64(0)) { sum, snapshot in
            let progress = snapshot.progress
            let rest = max(0, (progress.totalBytes ?? 0) &- progress.fileBytes)
            sum = sum.addingReportingOverflow(rest).overflow ? .max : sum + rest
        }
        return SummaryMessage(summary, bytesLeft: left, lastEvent: last)
    }
}
