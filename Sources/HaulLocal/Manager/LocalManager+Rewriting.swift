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

    /// Changes the spec of a download: options, mirrors, destination; for its URL, see `replaceSource`.
    ///
    /// A download that runs stops, and continues with the new spec. The destination can be changed while it does not
    /// run, as long as nothing has been fetched.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the download has ended, or runs and must not repeat its
    ///   request or would change its destination; `invalidRequest` if the new spec is invalid. Nothing has changed
    ///   then.
    func rewrite(
        _ id: DownloadID, _ change: @Sendable (inout DownloadSpec) throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        try await unoccupied(id)
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        let runs = live[id].map { $0.lifecycle.run == .going && $0.spec.mayRepeat } ?? false
        guard live[id] == nil || runs, [.queued, .paused, .active].contains(record.state) else {
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
            // Until it has stopped, the run may create a partial file at the old path.
            guard !runs else {
                throw DownloadError(.notPossible, "the path of download \(id) can't be changed now: pause it first")
            }
            guard record.doneBytes == 0 else {
                throw DownloadError(
                    .notPossible, "download \(id) has a partial file at its path: remove it and add it again")
            }
            batch.changes.append(RecordChange(id, .targetPath(nil, totalBytes: record.totalBytes, fileID: nil)))
        }
        add(.changed, of: id, clock.milliseconds(), &batch)
        // In the same transaction: if the process dies before the run has ended, the download does not stay paused.
        if runs { _ = decide(record.standing, .restart, &batch) }
        try commit(batch)
        let isStillLacking = record.lacksSecrets && secrets[id] == nil && spec.stillLacksSecrets(of: record.spec)
        secrets[id] = !isStillLacking && spec.withoutSecrets().lacksSecrets ? spec : nil
        if short.removeValue(forKey: id) != nil {
            // It may have another folder now, on a disk that has enough space.
            shortages[id] = nil
            enqueue(id)
        } else {
            requeue(id)
        }
        guard runs else { return }
        try await settled(id)
        if try catalogue.record(id)?.state == .finished { throw DownloadError(.isFinished, of: id) }
    }
}
