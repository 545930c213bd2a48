public import HaulCore

/// Adding downloads.
extension DownloadManager {
    /// Adds a download, or returns the existing one with the same key.
    ///
    /// An existing download is resumed if it is paused, failed or cancelled; a finished one is downloaded again only if
    /// its file no longer exists. If the spec has `startsPaused`, it stays as it is. The options of the existing
    /// download do not change: `Download.isNew` of the result is false then. A checksum that it is not verified against
    /// is an error, unless it is finished and its file, which is read now, has that checksum. So is an expected size that
    /// the finished file does not have or the unfinished one is not compared with, and so are other piece hashes.
    ///
    /// Relative paths in the spec are resolved against the working folder of the process now, and stored as absolute
    /// ones: a relaunch from another folder finds the partial files.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the spec is invalid or has another checksum than the
    ///   existing download, `checksumMismatch` if the existing file does not have the checksum, `fileFailed` if it can't
    ///   be read, or if the spec has a relative path and the working folder no longer exists, or `catalogueFailed`.
    @discardableResult
    public func add(_ spec: DownloadSpec) async throws(DownloadError) -> Download {
        try await add(contentsOf: CollectionOfOne(spec))[0].get()
    }

    /// Adds a download to the default folder, which is created if it is missing; otherwise like `add(_:)` with a spec.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the configuration has no folder or the URL is invalid,
    ///   `fileFailed` if the folder can't be created.
    @discardableResult
    public func add(_ url: String) async throws(DownloadError) -> Download {
        try await add(DownloadSpec(url: url, destination: .folder(path: try await defaultFolder())))
    }

    /// Returns the default folder, which is created if it is missing.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the configuration has none, `fileFailed` if it can't be
    ///   created.
    package func defaultFolder() async throws(DownloadError) -> String {
        try open()
        guard let folder = backend.folder else {
            throw DownloadError(
                .invalidRequest,
                "the manager has no default folder: set the folder of the configuration, or add a spec with a destination"
            )
        }
        try await backend.makeFolder()
        return folder
    }

    /// Adds many downloads, each like `add(_:)`, and returns a result for each, in order.
    ///
    /// An invalid spec does not prevent the others from being added.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`; downloads that were added before remain in the list.
    @discardableResult
    public func add(
        contentsOf specs: some Collection<DownloadSpec> & Sendable
    ) async throws(DownloadError) -> [Result<Download, DownloadError>] {
        try await backend.add(contentsOf: specs, model: nil, of: self)
    }

    /// Adds the download that a model asks for; the model receives its events from the first one on.
    func add(model: any Downloadable) async throws(DownloadError) -> Download {
        try await backend.add(contentsOf: CollectionOfOne(model.downloadSpec), model: model, of: self)[0].get()
    }
}
