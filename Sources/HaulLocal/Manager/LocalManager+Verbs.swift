import HaulCore
import HaulEngine
import HaulLibC
import HaulManager
import HaulStore
import Logging

/// Commands for one download.
extension LocalManager {
    func perform(_ verb: DownloadVerb, on id: DownloadID) async throws(DownloadError) {
        try await ask(id, verb.command)
    }

    func bind(_ model: any Downloadable, to id: DownloadID) { models.bind(model, to: id) }

    private func ask(_ id: DownloadID, _ command: Lifecycle.Command) async throws(DownloadError) {
        try await unoccupied(id)
        beginRemovals()
        defer { endRemovals() }
        try self.command(id, command)
        if live[id]?.lifecycle.run != .going { try await settled(id) }
        if let failure = unremoved.removeValue(forKey: id) { throw failure }
    }

    /// Records the failures to remove files from now on.
    func beginRemovals() { removals += 1 }

    /// Ends what `beginRemovals()` began.
    func endRemovals() {
        removals -= 1
        if removals == 0 { unremoved = [:] }
    }

    func replaceSource(_ id: DownloadID, _ change: SourceChange) async throws(DownloadError) {
        try await unoccupied(id)
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        if let running = live[id], running.lifecycle.run == .going, !running.spec.mayRepeat {
            throw DownloadError(
                .notPossible,
                "download \(id) would send its request again, which the server may have carried out: pause it first")
        }
        var spec = secrets[id] ?? record.spec
        let user = spec.user
        if let url = change.url { try spec.move(to: url) }
        // A password given together with a new URL belongs to the same user.
        if change.password != nil { spec.user = user }
        spec.headers = change.headers ?? spec.headers
        spec.password = change.password ?? spec.password
        spec.bearerToken = change.bearerToken ?? spec.bearerToken
        spec.publicAddressesOnly = change.publicAddressesOnly ?? spec.publicAddressesOnly
        _ = try MachineConfiguration(spec)
        if record.lacksSecrets, secrets[id] == nil, spec.stillLacksSecrets(of: record.spec) {
            throw DownloadError(
                .notPossible,
                spec.source.body?.isMissing == true
                    ? "the request body of download \(id) was not stored: add the download again with its body"
                    : "the headers or password of download \(id) were not stored: give them together with the URL")
        }
        var batch = Batch()
        batch.changes.append(RecordChange(id, .spec(spec)))
        if change.url != nil {
            let source = SourceIdentity.digest(
                try SourceURL(parsing: record.spec.url), record.spec.range, record.spec.compression,
                request: record.spec.source.requestIdentity)
            let replaced = SourceIdentity.replacing(source, after: record.replacedSources)
            batch.changes.append(RecordChange(id, .replacedSources(replaced)))
        }
        let response = decide(record.standing, .replaceSource, &batch)
        if case .refused(let refusal) = response { throw DownloadError(refusal, of: id) }
        try commit(batch)
        secrets[id] = spec.withoutSecrets().lacksSecrets ? spec : nil
        try await settled(id)
        if try catalogue.record(id)?.state == .finished { throw DownloadError(.isFinished, of: id) }
    }

    /// Adds the source of a run that has finished although it was to stop to a batch: the source may have been replaced
    /// by one that was never used.
    func recordSource(of entry: LiveDownload, _ id: DownloadID, _ batch: inout Batch) {
        guard var spec = secrets[id] ?? (try? catalogue.record(id))?.spec else { return }
        (spec.source, spec.access) = (entry.spec.source, entry.spec.access)
        batch.changes.append(RecordChange(id, .spec(spec)))
        secrets[id] = spec.withoutSecrets().lacksSecrets ? spec : nil
    }

    func set(_ id: DownloadID, priority: Int?, rateLimit: Int64?) async throws(DownloadError) {
        if let priority, !(-1000...1000).contains(priority) {
            throw DownloadError(.invalidRequest, "invalid priority \(priority): expected -1000 to 1000")
        }
        try change(id) { spec in
            spec.priority = priority ?? spec.priority
            if let rateLimit { spec.rateLimit = rateLimit > 0 ? rateLimit : nil }
        }
        if let rateLimit { live[id]?.limiter.set(bytesPerSecond: rateLimit > 0 ? rateLimit : nil) }
    }

    func startNow(_ id: DownloadID) async throws(DownloadError) {
        try await unoccupied(id)
        try refuse(id, .resume)
        try change(id) { spec in
            spec.startsAtOnce = true
            (spec.notBefore, spec.after) = (nil, [])
        }
        try command(id, waitsForAttempt(id) ? .restart : .resume)
        if short.removeValue(forKey: id) != nil { enqueue(id) }
    }

    /// Returns true if the run of a download does nothing until its next attempt, which may be made now.
    private func waitsForAttempt(_ id: DownloadID) -> Bool {
        guard let entry = live[id], entry.spec.mayRepeat else { return false }
        switch entry.wait {
        case .retrying?, .serverAsked?: return true
        case .turn?, .host?, .connections?, .start?, .notBefore?, .dependency?, .space?, .openFiles?, .network?,
            .meteredNetwork?, .linkExpired?, .credentials?, nil:
            return false
        }
    }

    /// Throws the error that a command would be refused with, before anything else is changed.
    private func refuse(_ id: DownloadID, _ command: Lifecycle.Command) throws(DownloadError) {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        var lifecycle = live[id]?.lifecycle ?? Lifecycle(record.state, hasBegun: record.hasBegun)
        if case .refused(let refusal) = lifecycle.handle(command) { throw DownloadError(refusal, of: id) }
    }

    /// Changes options of a download that may be waiting.
    private func change(_ id: DownloadID, _ change: (inout DownloadSpec) -> Void) throws(DownloadError) {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        var spec = record.spec
        change(&spec)
        let now = clock.milliseconds()
        var batch = Batch()
        batch.changes.append(RecordChange(id, .spec(spec)))
        add(.changed, of: id, now, &batch)
        try commit(batch)
        if var secret = secrets[id] {
            change(&secret)
            secrets[id] = secret
        }
        requeue(id)
    }

    func move(_ id: DownloadID, to index: Int) async throws(DownloadError) {
        try open()
        guard try catalogue.record(id) != nil else { throw .noSuchDownload(id) }
        let moved = try usingList { () throws(DownloadError) in try catalogue.move(id, to: max(0, index)) }
        switch moved {
        case .to: if scheduler.remove(id) != nil { enqueue(id) }
        case .renumbered(let placed):
            for each in placed where scheduler.remove(each.id) != nil { enqueue(each.id) }
        }
        var batch = Batch()
        add(.changed, of: id, clock.milliseconds(), &batch)
        // The move itself is recorded; the event only prompts subscribers to read the order again, so a failure does
        // not matter.
        try? commit(batch)
    }

    // MARK: - Waiting

    /// Waits until no file work for a download is in progress.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed` if the end of that work can't be recorded.
    func unoccupied(_ id: DownloadID) async throws(DownloadError) {
        while live[id]?.cleanup != nil { try await settlement(of: id) }
    }

    /// Waits until a download has neither a run that is stopping nor file work in progress.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed` if the end of it can't be recorded.
    func settled(_ id: DownloadID) async throws(DownloadError) {
        guard let entry = live[id], entry.cleanup != nil || entry.lifecycle.run != .going else { return }
        try await settlement(of: id)
    }

    private func settlement(of id: DownloadID) async throws(DownloadError) {
        if let obstacle = obstacle(id) { throw obstacle }
        let failure: DownloadError? = await withCheckedContinuation { continuation in
            guard live[id] != nil else { return continuation.resume(returning: nil) }
            settling[id, default: []].append(continuation)
        }
        if let failure { throw failure }
    }
}

extension DownloadError {
    /// True if a file that was to be removed is still there, and is not that of another download or program.
    ///
    /// In a folder that the manager must not use any more, nothing is known of a file.
    var isFailedRemoval: Bool {
        code != .destinationExists && code != .destinationBusy && code != .invalidRequest
    }

    /// Returns the error of a command that was carried out, except for the removal of files.
    func ofRemoval(of id: DownloadID) -> DownloadError {
        DownloadError(code, "not all files of download \(id) were removed: \(message)", cause: cause, detail: detail)
    }
}
