import HaulCore
import HaulEngine
import HaulLibC
import HaulManager
import HaulStore

/// Adding downloads.
extension LocalManager {
    /// Adds downloads in portions; one portion is checked while the previous one is recorded.
    ///
    /// - Parameter owner: The manager of the returned handles.
    nonisolated func add(
        contentsOf specs: some Collection<DownloadSpec> & Sendable, model: (any Downloadable)?,
        of owner: DownloadManager
    ) async throws(DownloadError) -> [Result<Download, DownloadError>] {
        var results: [Result<Download, DownloadError>] = []
        results.reserveCapacity(specs.count)
        let folder = workingFolder
        var rest = specs[...]
        var portion = AddedPortion(rest.prefix(Self.portion), in: folder)
        while true {
            rest = rest.dropFirst(Self.portion)
            async let next = AddedPortion(rest.prefix(Self.portion), in: folder)
            results += try await add(portion, model, owner)
            portion = await next
            if rest.isEmpty { break }
        }
        return try await resumeAdded(results, specs, owner, in: folder)
    }

    nonisolated func makeFolder() async throws(DownloadError) {
        guard let folder else { return }
        try await BlockingQueue(label: "haul.folder").call { () throws(DownloadError) in try FolderMaker.make(folder) }
    }

    /// The number of downloads per transaction: each transaction rewrites most of the index of keys.
    private static let portion = 20_000

    /// Resumes those of the added downloads that existed before.
    private func resumeAdded(
        _ added: [Result<Download, DownloadError>], _ specs: some Collection<DownloadSpec> & Sendable,
        _ owner: DownloadManager, in folder: String?
    ) async throws(DownloadError) -> [Result<Download, DownloadError>] {
        var results = added
        for (index, spec) in zip(results.indices, specs) {
            // Each spec on its own: one of several for the same download may have a checksum.
            while case .success(let download) = results[index], !download.isNew {
                do throws(DownloadError) {
                    guard try await !resumeAdded(download.id, as: spec) else { break }
                    // A download that was just being removed is added again once it has been removed.
                    results[index] = try add(AddedPortion(CollectionOfOne(spec), in: folder), nil, owner)[0]
                } catch {
                    results[index] = .failure(error)
                }
            }
        }
        return results
    }

    private func add(
        _ portion: AddedPortion, _ model: (any Downloadable)?, _ owner: DownloadManager
    ) throws(DownloadError) -> [Result<Download, DownloadError>] {
        try open()
        var portion = portion
        try portion.refuse { others throws(DownloadError) in try catalogue.standings(others).count < others.count }
        let now = clock.milliseconds()
        let inserted = try usingList { () throws(DownloadError) in
            try catalogue.insert(portion.records, firstEvent: hub.last + 1, time: now)
        }
        var events: [DownloadEvent] = []
        events.reserveCapacity(inserted.count)
        let handles = inserted.indices.map { index in
            let id = take(inserted[index], portion.records[index], portion.specs[index], now, &events)
            return Download(id: id, manager: owner, isNew: inserted[index].isNew)
        }
        if let model { for handle in handles { bind(model, to: handle.id) } }
        spread(events)
        mailbox.post(.wake)
        return portion.outcomes.map { $0.map { handles[$0] } }
    }

    private func take(
        _ inserted: Inserted, _ record: NewRecord, _ original: DownloadSpec, _ now: Int64,
        _ events: inout [DownloadEvent]
    ) -> DownloadID {
        switch inserted {
        case .present(let id):
            return id
        case .added(let id, let position, let host, let number):
            count(record.state, 1)
            if record.lacksSecrets { secrets[id] = original }
            events.append(DownloadEvent(number: number, download: id, time: now.date, kind: .added))
            if !original.after.isEmpty { mayHaveDependencies = true }
            if record.state == .queued, !original.after.isEmpty {
                enqueue(id)
            } else if record.state == .queued {
                scheduler.add(
                    QueueEntry(
                        id: id, position: position, priority: Int16(clamping: original.priority), host: host,
                        notBefore: original.notBefore?.milliseconds ?? 0, ignoresLimits: original.startsAtOnce))
            }
            return id
        }
    }

    /// Keeps the secrets of a spec that was added again, if its source is the same, those of the download were lost, and
    /// it has all of them; ignores the rest of it.
    private func takeSecrets(of original: DownloadSpec, for record: StoredRecord) {
        let (stored, lacksSecrets) = original.withoutSecrets()
        // Another client must not replace those of a download that has them. With only some of them, it would send a
        // request that nobody asked for.
        guard lacksSecrets, record.lacksSecrets, secrets[record.id] == nil, record.spec.url == stored.url,
            original.hasSecrets(of: record.spec), original.mayGiveCredentials(to: record.spec)
        else { return }
        var spec = record.spec
        (spec.url, spec.headers, spec.source.body) = (original.url, original.headers, original.source.body)
        (spec.access.password, spec.access.bearerToken) = (original.access.password, original.access.bearerToken)
        secrets[record.id] = spec
    }

    /// Replaces the credentials of a download by those of a spec that was added again, if the server has refused the
    /// former: another client must not replace those that work.
    private func replaceRefusedCredentials(
        of record: StoredRecord, by original: DownloadSpec
    ) throws(DownloadError) {
        let (stored, lacksSecrets) = original.withoutSecrets()
        let given = [original.access.password, original.access.bearerToken].compactMap(\.self)
        guard record.state == .failed, record.error?.isRefusalByServer == true, record.spec.url == stored.url,
            lacksSecrets || !given.isEmpty, !given.contains(.missing), original.mayGiveCredentials(to: record.spec)
        else { return }
        var spec = secrets[record.id] ?? record.spec
        spec.url = original.url
        if let body = original.source.body, !body.isMissing { spec.source.body = body }
        guard spec.source.body?.isMissing != true else { return }
        (spec.access.headers, spec.access.user) = (original.access.headers, original.access.user)
        (spec.access.password, spec.access.bearerToken) = (original.access.password, original.access.bearerToken)
        spec.access.authentication = original.access.authentication
        var batch = Batch()
        batch.changes.append(RecordChange(record.id, .spec(spec)))
        try commit(batch)
        secrets[record.id] = spec.withoutSecrets().lacksSecrets ? spec : nil
    }

    /// Resumes an existing download that was added again, or downloads its file again if it no longer exists.
    ///
    /// - Parameter verified: The facts of the finish whose file has the checksum of the spec; nil if none was verified.
    /// - Returns: False if the download was being removed, and is gone now.
    /// - Throws: `DownloadError` if the spec has a checksum, a size or pieces that the download is not verified against,
    ///   and its file does not have them or does not exist yet.
    private func resumeAdded(
        _ id: DownloadID, as spec: DownloadSpec, verified: FinishFacts? = nil
    ) async throws(DownloadError) -> Bool {
        do throws(DownloadError) {
            try await settled(id)
        } catch {
            // Once the list can be written again, it is gone: the caller must not believe that it was added.
            if live[id]?.isBeingRemoved == true { throw error }
            // A failure of the catalogue is reported by the next call.
            return true
        }
        let record: StoredRecord?
        // A failure of the catalogue is reported by the next call.
        do throws(DownloadError) { record = try catalogue.record(id) } catch { return true }
        guard let record else { return false }
        let isVerified = verified != nil && verified == record.finish
        if let checksum = spec.checksum, checksum != record.spec.checksum, !isVerified {
            try await requireEarlierFile(of: record, checksum)
            // Reading the file may take minutes, in which other commands may have changed or removed the download.
            return try await resumeAdded(id, as: spec, verified: record.finish)
        }
        if !isVerified { try await requireSameFile(of: record, as: spec) }
        takeSecrets(of: spec, for: record)
        try replaceRefusedCredentials(of: record, by: spec)
        guard !spec.startsPaused else { return true }
        switch record.state {
        case .queued, .active: break
        case .paused: _ = try? command(id, .resume)
        case .failed, .cancelled, .held: _ = try? command(id, .retry(fromStart: false))
        case .finished:
            guard let path = record.targetPath, await !engine.fileExists(at: path) else { break }
            _ = try? command(id, .retry(fromStart: false))
        }
        return true
    }
}

extension LocalManager {
    /// Throws an error unless the finished file of a download has a checksum that it was added again with.
    ///
    /// The file is read only if the download was not verified against that checksum.
    private func requireEarlierFile(
        of record: StoredRecord, _ checksum: Checksum
    ) async throws(DownloadError) {
        guard record.state == .finished, let facts = record.finish, await engine.fileExists(at: facts.path) else {
            throw .earlierDownload(record.id, checksum: record.spec.checksum)
        }
        guard facts.verified != checksum else { return }
        do throws(DownloadError) {
            try await FileVerifier.verify(facts.path, checksum)
        } catch {
            throw .earlierDownload(record.id, at: facts.path, failed: error)
        }
    }
}

extension LocalManager {
    /// Throws an error if a download was added again with a size that its file does not have, or with a size or pieces
    /// that it is not compared with.
    private func requireSameFile(of record: StoredRecord, as spec: DownloadSpec) async throws(DownloadError) {
        if let bytes = spec.expectedBytes, bytes != record.spec.expectedBytes {
            guard record.state == .finished, let facts = record.finish, await engine.fileExists(at: facts.path) else {
                throw .earlierDownload(record.id, without: "this size")
            }
            guard facts.totalBytes == bytes else {
                let error = DownloadError(.sourceChanged, "it has \(facts.totalBytes) bytes, expected \(bytes)")
                throw .earlierDownload(record.id, at: facts.path, failed: error)
            }
        }
        // A file that has its checksum is the right one.
        let hasChecksum = spec.checksum != nil && spec.checksum == record.spec.checksum
        if let pieces = spec.pieces, pieces != record.spec.pieces, !hasChecksum {
            throw .earlierDownload(record.id, without: "these hashes of its pieces")
        }
    }
}

extension DownloadSpec {
    /// Returns true if this spec may give its credentials to a download with another one.
    ///
    /// A client that may only use public addresses must not make a request to a private one with headers of its choice.
    fileprivate func mayGiveCredentials(to other: DownloadSpec) -> Bool {
        other.local.publicAddressesOnly || !local.publicAddressesOnly
    }

    /// True if this spec has a value for each secret that a stored one was left without; the URLs are not compared.
    fileprivate func hasSecrets(of stored: DownloadSpec) -> Bool {
        let names = Set(access.headers.map { $0.name.lowercased() })
        let hasHeaders = stored.access.headers.allSatisfy {
            !$0.value.isEmpty || $0.isHarmless || names.contains($0.name.lowercased())
        }
        let hasBody = stored.source.body?.isMissing != true || source.body?.isMissing == false
        let hasPassword = stored.access.password != Secret.missing || access.password != nil
        let hasToken = stored.access.bearerToken != Secret.missing || access.bearerToken != nil
        return hasHeaders && hasBody && hasPassword && hasToken
    }
}

extension Inserted {
    /// True if there was no download with the key.
    fileprivate var isNew: Bool {
        switch self {
        case .present: false
        case .added: true
        }
    }
}

extension DownloadError {
    /// True if the server itself has refused the credentials, or requires some.
    fileprivate var isRefusalByServer: Bool {
        switch detail {
        case .proxyLoginNeeded, .proxyLoginRefused, .withheld: false
        default: code == .notAuthorized
        }
    }
}
