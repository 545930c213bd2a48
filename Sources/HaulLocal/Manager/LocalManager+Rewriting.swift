import HaulCore
import HaulLibC
import HaulManager
import HaulStore

/// For interfaces with the vocabulary of another program.
extension LocalManager {
    /// Returns the downloads that match a filter, in the order of the list.
    func ids(_ filter: DownloadFilter) throws(DownloadError) -> [DownloadID] {
        try open()
        return try catalogue.ids(StoredFilter(filter))
    }

    /// Returns the spec of a download, with the secrets that are known.
    func fullSpec(_ id: DownloadID) throws(DownloadError) -> DownloadSpec {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        return secrets[id] ?? record.spec
    }

    /// Changes the spec of a download that is not running: options, mirrors, destination; for its URL, see
    /// `replaceSource`.
    ///
    /// The destination can be changed as long as nothing has been fetched.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the download is running or has ended, `invalidRequest` if
    ///   the new spec is invalid. Nothing has changed then.
    func rewrite(
        _ id: DownloadID, _ change: @Sendable (inout DownloadSpec) throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        try await unoccupied(id)
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        guard live[id] == nil, [.queued, .paused].contains(record.state) else {
            throw DownloadError(.notPossible, "download \(id) can't be changed now: pause it first")
        }
        var spec = secrets[id] ?? record.spec
        try change(&spec)
        spec = try spec.absolute(in: workingFolder)
        (spec.url, spec.key) = (secrets[id]?.url ?? record.spec.url, record.spec.key)
        _ = try MachineConfiguration(spec)
        var batch = Batch()
        batch.changes.append(RecordChange(id, .spec(spec)))
        if spec.destination != record.spec.destination {
            guard record.doneBytes == 0 else {
                throw DownloadError(
                    .notPossible, "download \(id) has a partial file at its path: remove it and add it again")
            }
            batch.changes.append(RecordChange(id, .targetPath(nil, totalBytes: record.totalBytes, fileID: nil)))
        }
        add(.changed, of: id, clock.milliseconds(), &batch)
        try commit(batch)
        let isStillLacking = record.lacksSecrets && secrets[id] == nil && spec.stillLacksSecrets(of: record.spec)
        secrets[id] = !isStillLacking && spec.withoutSecrets().lacksSecrets ? spec : nil
        requeue(id)
    }
}
