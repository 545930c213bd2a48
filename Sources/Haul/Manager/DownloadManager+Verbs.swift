public import HaulCore
import HaulStore
import Logging

/// What can be asked of one download.
///
/// Each returns when it is done: a pause when everything is saved, a cancel and a removal when the files are gone. Cancelling the task
/// that waits for that changes nothing about the download. What does not fit the download's state is refused with `notPossible`; what is
/// so already is no error.
extension DownloadManager {
    /// Stops it and keeps everything, to go on from there (guarantee: nothing lost).
    public func pause(_ id: DownloadID) async throws(DownloadError) {
        try await ask(id, .pause)
    }

    /// Lets a paused download go on as soon as its turn comes.
    public func resume(_ id: DownloadID) async throws(DownloadError) {
        try await ask(id, .resume)
    }

    /// Ends it for good; its record stays.
    ///
    /// - Parameter keepPartial: whether the bytes stay on the disk, so that `retry` can go on from them.
    public func cancel(_ id: DownloadID, keepPartial: Bool = true) async throws(DownloadError) {
        try await ask(id, .cancel(keepPartial: keepPartial))
    }

    /// Forgets it, whatever it does.
    ///
    /// - Parameter files: which files go with the record: by default the partial, never the finished file.
    public func remove(_ id: DownloadID, files: RemovedFiles = .partial) async throws(DownloadError) {
        try await ask(id, .remove(files))
    }

    /// Tries again what has failed, was cancelled, or finished and is wanted anew.
    ///
    /// - Parameter fromStart: whether what is there of the file is thrown away first.
    public func retry(_ id: DownloadID, fromStart: Bool = false) async throws(DownloadError) {
        try await ask(id, .retry(fromStart: fromStart))
    }

    private func ask(_ id: DownloadID, _ command: Lifecycle.Command) async throws(DownloadError) {
        await unoccupied(id)
        try self.command(id, command)
        if live[id]?.lifecycle.run != .going { await settled(id) }
    }

    /// Gives it another source for the same file: a new link for an expired one, new headers, a password.
    ///
    /// What is there is kept, and gone on with only after the new source has proved that it has the same file: by size and strong
    /// validator, or by bytes that overlap (guarantee: one version). If it has not, the download fails with the code `sourceChanged`,
    /// everything is kept, and another source or `retry(_:fromStart:)` is the caller's choice.
    ///
    /// - Parameters:
    ///   - url: The new URL; nil: the one it has.
    ///   - headers: The new headers; nil: those it has.
    ///   - password: The password of its user; nil: the one it has.
    ///   - bearerToken: The new token; nil: the one it has.
    ///   - publicAddressesOnly: Whether only public addresses are connected to from now on; nil: as before.
    public func replaceSource(
        _ id: DownloadID, url: String? = nil, headers: [DownloadSpec.Header]? = nil, password: Secret? = nil,
        bearerToken: Secret? = nil, publicAddressesOnly: Bool? = nil
    ) async throws(DownloadError) {
        await unoccupied(id)
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        var spec = secrets[id] ?? record.spec
        spec.url = url ?? spec.url
        spec.headers = headers ?? spec.headers
        spec.password = password ?? spec.password
        spec.bearerToken = bearerToken ?? spec.bearerToken
        spec.publicAddressesOnly = publicAddressesOnly ?? spec.publicAddressesOnly
        _ = try MachineConfiguration(spec)
        if record.lacksSecrets, secrets[id] == nil, spec.stillLacksSecrets(of: record.spec) {
            throw DownloadError(
                .notPossible,
                "the headers or password of download \(id) were not stored: give them together with the URL")
        }
        var batch = Batch()
        batch.changes.append(RecordChange(id, .spec(spec)))
        if url != nil { batch.changes.append(RecordChange(id, .sourceReplaced(true))) }
        let answer = decide(id, stored: record.state, .replaceSource, &batch)
        if case .refused(let refusal) = answer { throw DownloadError(refusal, of: id) }
        try commit(batch)
        secrets[id] = spec.withoutSecrets().lacksSecrets ? spec : nil
        await settled(id)
    }

    /// Changes priority and rate limit; what is nil stays as it is.
    ///
    /// - Parameters:
    ///   - priority: -1000 to 1000; the higher one starts first.
    ///   - rateLimit: Bytes per second, effective at once; 0: no limit.
    public func set(_ id: DownloadID, priority: Int? = nil, rateLimit: Int64? = nil) async throws(DownloadError) {
        if let priority, !(-1000...1000).contains(priority) {
            throw DownloadError(.invalidRequest, "priority \(priority) is too far: use -1000 to 1000")
        }
        try change(id) { spec in
            spec.priority = priority ?? spec.priority
            if let rateLimit { spec.rateLimit = rateLimit > 0 ? rateLimit : nil }
        }
        if let rateLimit { live[id]?.limiter.set(bytesPerSecond: rateLimit > 0 ? rateLimit : nil) }
    }

    /// Starts it at once, beyond the limits; a paused one is resumed, and one that waits for room on the disk tries again.
    public func startNow(_ id: DownloadID) async throws(DownloadError) {
        await unoccupied(id)
        try refuse(id, .resume)
        try change(id) { spec in
            spec.startsAtOnce = true
            spec.notBefore = nil
        }
        try command(id, .resume)
        if short.removeValue(forKey: id) != nil { enqueue(id) }
    }

    /// Throws what a command would be refused with, before anything else is changed for it.
    private func refuse(_ id: DownloadID, _ command: Lifecycle.Command) throws(DownloadError) {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        var lifecycle = live[id]?.lifecycle ?? Lifecycle(record.state)
        if case .refused(let refusal) = lifecycle.handle(command) { throw DownloadError(refusal, of: id) }
    }

    /// Changes options of a download that may be waiting.
    private func change(_ id: DownloadID, _ change: (inout DownloadSpec) -> Void) throws(DownloadError) {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        var spec = record.spec
        change(&spec)
        let now = WallClock.milliseconds()
        var batch = Batch()
        batch.changes.append(RecordChange(id, .spec(spec)))
        add(.changed, of: id, now, &batch)
        try commit(batch)
        if var secret = secrets[id] {
            change(&secret)
            secrets[id] = secret
        }
        if scheduler.remove(id) != nil { enqueue(id) }
    }

    /// Moves it to a place in the list, 0 first; beyond the end is the end.
    public func move(_ id: DownloadID, to index: Int) async throws(DownloadError) {
        try open()
        guard try catalogue.record(id) != nil else { throw .noSuchDownload(id) }
        let moved = try catalogue.move(id, to: max(0, index))
        switch moved {
        case .to: if scheduler.remove(id) != nil { enqueue(id) }
        case .renumbered(let placed):
            for each in placed where scheduler.remove(each.id) != nil { enqueue(each.id) }
        }
        var batch = Batch()
        add(.changed, of: id, WallClock.milliseconds(), &batch)
        do throws(DownloadError) {
            try commit(batch)
        } catch {
            // It has moved, and the order of the list is asked for, not told.
            configuration.logger.error("move not told", metadata: ["download": "\(id)", "error": "\(error)"])
        }
    }

    // MARK: - Waiting

    /// Returns when no file work is under way for it.
    func unoccupied(_ id: DownloadID) async {
        while live[id]?.chore != nil { await settlement(of: id) }
    }

    /// Returns when it has neither a run that stops nor file work under way.
    func settled(_ id: DownloadID) async {
        guard let entry = live[id], entry.chore != nil || entry.lifecycle.run != .going else { return }
        await settlement(of: id)
    }

    private func settlement(of id: DownloadID) async {
        await withCheckedContinuation { continuation in
            guard live[id] != nil else { return continuation.resume() }
            settling[id, default: []].append(continuation)
        }
    }
}
