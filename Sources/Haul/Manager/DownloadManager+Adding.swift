public import HaulCore

/// Adding.
extension DownloadManager {
    /// Adds a download, or finds the one that has its key.
    ///
    /// One that is there already goes on: paused, failed and cancelled ones are started again, a finished one only where its file is
    /// gone; where the spec says `startsPaused`, a paused one stays so. Its options stay as they were.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the spec can't be right, `catalogueFailed`.
    @discardableResult
    public func add(_ spec: DownloadSpec) async throws(DownloadError) -> Download {
        try await add(contentsOf: CollectionOfOne(spec))[0].get()
    }

    /// Adds many, each as `add(_:)` would: with a result for each, in order, and never all or nothing.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`; what was added before stays.
    @discardableResult
    public func add(
        contentsOf specs: some Collection<DownloadSpec> & Sendable
    ) async throws(DownloadError) -> [Result<Download, DownloadError>] {
        try await backend.add(contentsOf: specs, model: nil, of: self)
    }

    /// Adds what a model asks for, and has the model hear of it from the first event on.
    func add(model: any Downloadable) async throws(DownloadError) -> Download {
        try await backend.add(contentsOf: CollectionOfOne(model.downloadSpec), model: model, of: self)[0].get()
    }
}
