package import HaulCore
package import HaulWire
import NIOHTTP1

/// The operations of the API; see its document.
extension DaemonClient {
    /// Returns the daemon's properties and permissions.
    package func info() async throws(DownloadError) -> InfoMessage { try await get(APIPath.info, InfoMessage.self) }

    /// Returns whether the daemon can take and carry out downloads, with the reasons if not.
    package func ready() async throws(DownloadError) -> ReadyMessage {
        // The response of a daemon that is not ready has the status 503, and the same body.
        try WireJSON.decode(ReadyMessage.self, from: try await send(.GET, APIPath.ready, accepts: [503]))
    }

    /// Returns the number of downloads in each state.
    package func summary() async throws(DownloadError) -> SummaryMessage {
        try await get(APIPath.summary, SummaryMessage.self)
    }

    /// Adds a download, or finds the one with its key.
    package func add(_ request: DownloadRequest) async throws(DownloadError) -> DownloadMessage {
        try await send(.POST, APIPath.downloads, request, DownloadMessage.self)
    }

    /// Adds many downloads, and returns a result for each, in order.
    package func add(_ requests: [DownloadRequest]) async throws(DownloadError) -> [BatchMessage.Result] {
        try await send(.POST, APIPath.batch, BatchRequest(downloads: requests), BatchMessage.self).results
    }

    /// Returns a page of the list.
    ///
    /// - Parameters:
    ///   - after: The last download of the previous page.
    ///   - limit: 1 to 1000.
    ///   - wantsTotal: True to count the downloads that match the filter.
    package func list(
        _ filter: FilterMessage = FilterMessage(), after: DownloadID? = nil, limit: Int = 100, order: ListOrder = .list,
        wantsTotal: Bool = false
    ) async throws(DownloadError) -> ListMessage {
        var query = filter.query
        if let after { query.append(("after", "\(after)")) }
        query.append(("limit", "\(limit)"))
        if order != .list { query.append(("order", order.rawValue)) }
        if wantsTotal { query.append(("count", "true")) }
        return try await get(APIPath.downloads, ListMessage.self, query)
    }

    /// Returns the state of a download.
    package func show(_ id: DownloadID) async throws(DownloadError) -> DownloadMessage {
        try await get(APIPath.download(id), DownloadMessage.self)
    }

    /// Removes a download from the list.
    package func remove(_ id: DownloadID, files: RemovedFiles = .partial) async throws(DownloadError) {
        try await send(.DELETE, APIPath.download(id), [("files", files.rawValue)])
    }

    /// Changes priority and rate limit.
    package func change(_ id: DownloadID, _ change: ChangeRequest) async throws(DownloadError) -> DownloadMessage {
        try await send(.PATCH, APIPath.download(id), change, DownloadMessage.self)
    }

    /// Stops a download and keeps everything.
    package func pause(_ id: DownloadID) async throws(DownloadError) -> DownloadMessage {
        try await command(id, .pause, EmptyRequest())
    }

    /// Resumes a paused download.
    package func resume(_ id: DownloadID) async throws(DownloadError) -> DownloadMessage {
        try await command(id, .resume, EmptyRequest())
    }

    /// Cancels a download.
    package func cancel(_ id: DownloadID, keepPartial: Bool = true) async throws(DownloadError) -> DownloadMessage {
        try await command(id, .cancel, CancelRequest(keepPartial: keepPartial))
    }

    /// Retries a download.
    package func retry(_ id: DownloadID, fromStart: Bool = false) async throws(DownloadError) -> DownloadMessage {
        try await command(id, .retry, RetryRequest(fromStart: fromStart))
    }

    /// Starts a download at once.
    package func start(_ id: DownloadID) async throws(DownloadError) -> DownloadMessage {
        try await command(id, .start, EmptyRequest())
    }

    /// Moves a download in the list.
    package func move(_ id: DownloadID, to index: Int) async throws(DownloadError) -> DownloadMessage {
        try await command(id, .move, MoveRequest(to: index))
    }

    /// Replaces the source of a download.
    package func replaceSource(_ id: DownloadID, _ source: SourceRequest) async throws(DownloadError) -> DownloadMessage
    {
        try await send(.PUT, APIPath.download(id, .source), source, DownloadMessage.self)
    }

    /// Returns the segments of a download.
    package func segments(_ id: DownloadID) async throws(DownloadError) -> SegmentsMessage {
        try await get(APIPath.download(id, .segments), SegmentsMessage.self)
    }

    /// Returns the factors that limit, or limited, the speed of a download.
    package func explanation(_ id: DownloadID) async throws(DownloadError) -> ExplanationMessage {
        try await get(APIPath.download(id, .explanation), ExplanationMessage.self)
    }

    /// Performs one action on many downloads, and returns the number of changed ones.
    package func act(_ action: ActionRequest) async throws(DownloadError) -> Int {
        try await send(.POST, APIPath.actions, action, ActionMessage.self).changed
    }

    /// Returns the current settings.
    package func settings() async throws(DownloadError) -> SettingsMessage {
        try await get(APIPath.settings, SettingsMessage.self)
    }

    /// Changes settings.
    package func change(_ patch: SettingsPatch) async throws(DownloadError) -> SettingsMessage {
        try await send(.PATCH, APIPath.settings, patch, SettingsMessage.self)
    }

    /// Copies the list into a new file in the state folder.
    package func backUp() async throws(DownloadError) -> BackupMessage {
        try await send(.POST, APIPath.backups, EmptyRequest(), BackupMessage.self)
    }

    /// Restores the settings of the configuration.
    package func resetSettings() async throws(DownloadError) -> SettingsMessage {
        try WireJSON.decode(SettingsMessage.self, from: try await send(.DELETE, APIPath.settings))
    }

    private func command(
        _ id: DownloadID, _ part: DownloadPart, _ message: some Encodable
    ) async throws(DownloadError) -> DownloadMessage {
        try await send(.POST, APIPath.download(id, part), message, DownloadMessage.self)
    }
}

extension FilterMessage {
    /// The filter as the fields of a query.
    var query: [(String, String)] {
        (ids ?? []).map { ("id", "\($0)") } + (keys ?? []).map { ("key", $0) } + (urls ?? []).map { ("url", $0) }
            + (groups ?? []).map { ("group", $0) }
            + (tags ?? []).map { ("tag", $0) } + (requiredTags ?? []).map { ("requiredTag", $0) }
            + (states ?? []).map { ("state", $0.rawValue) } + (codes ?? []).map { ("code", $0.rawValue) }
            + (hosts ?? []).map { ("host", $0) }
            + [search].compactMap(\.self).map { ("search", $0) }
    }
}
