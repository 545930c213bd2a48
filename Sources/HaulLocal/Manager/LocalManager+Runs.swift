import HaulCore
import HaulEngine
import HaulFiles
import HaulLibC
import HaulManager
import HaulStore
import Logging

/// Messages from runs, timers and file work.
extension LocalManager {
    func handle(_ message: ManagerMessage, in tasks: inout DiscardingTaskGroup) {
        switch message {
        case .emitted(let id, let event): receive(event, of: id)
        case .naming(let id, let output, let waiter): name(id, output, waiter)
        case .shortage(let id, let shortage): live[id]?.shortage = shortage
        case .parked(let id): scheduler.park(id)
        case .returning(let id): scheduler.wantsBack(id)
        case .ended(let id, let result): ended(id, result)
        case .cleanup(let id, let cleanup):
            cleanupJobs.add(cleanup, of: id, on: engine.disk(of: cleanup.spec) ?? "")
            startCleanupJobs(in: &tasks)
        case .cleanupDone(let id, let error):
            recordGroup(in: &tasks)
            cleanupJobs.end(id)
            cleanupDone(id, error)
            startCleanupJobs(in: &tasks)
        case .alarm(let alarm):
            recordGroup(in: &tasks)
            notify(alarm, in: &tasks)
        case .space(let free): look(at: free)
        case .networkChanged: networkChanged()
        case .lookedForNetwork(let isThere):
            isLookingForNetwork = false
            if isThere { networkChanged() }
        case .notify(let note):
            guard let notifier = configuration.notifier else { return }
            tasks.addTask { await notifier.notify(note) }
        case .synced(let error):
            // A failed sync is a failure of the list: nothing is accepted until it is rewritten.
            if let error { _ = try? usingList { () throws(DownloadError) in throw error } }
        case .wake: break
        }
    }

    private func receive(_ event: TransferEvent, of id: DownloadID) {
        guard live[id] != nil else { return }
        switch event {
        case .progress(let progress): receive(progress, of: id)
        case .started(let facts):
            live[id]?.path = facts.path
            live[id]?.progress.totalBytes = facts.totalBytes
            live[id]?.progress.fileBytes = facts.resumedBytes
            record(.started(facts), of: id, RunOutput(facts))
        case .waiting(let reason, let seconds):
            live[id]?.wait = reason
            let until = clock.milliseconds() + Int64(min(max(seconds, 0), 1e9) * 1000)
            record(.waiting(reason, until: until.date), of: id, nil)
        case .notice(let notice): record(.notice(notice), of: id, nil)
        // The end is taken only from the result of the run, so that it is reported exactly once.
        case .finished, .failed: break
        }
    }

    private func receive(_ progress: TransferProgress, of id: DownloadID) {
        // After a cut, one more report may come, with bytes from before it: then no connection is left.
        if live[id]?.progress.sessionBytes != progress.sessionBytes,
            progress.connections > 0 || progress.fraction == 1
        {
            // Recorded before the progress is published, so that those who follow the events read the state again.
            if live[id]?.wait.take() != nil { record(.changed, of: id, nil) }
        }
        live[id]?.progress = progress
        let now = clock.now
        // A tenth less than the interval, since ticks may come a little early.
        if let last = live[id]?.reportedProgress, now - last < settings.progressInterval * 9 / 10 { return }
        live[id]?.reportedProgress = now
        // Events that precede it are published first.
        if group.isEmpty { publishProgress(of: id) } else { group(Batch(), then: .progress(id)) }
        if now - (live[id]?.noted ?? now) >= Self.noteInterval { note(progress, of: id, now) }
    }

    /// Publishes the newest progress of a run.
    func publishProgress(of id: DownloadID) {
        guard let progress = live[id]?.progress else { return }
        let event = DownloadEvent(
            number: hub.last, download: id, time: clock.milliseconds().date, kind: .progress(progress))
        models.emit(event)
        hub.publish(progress: event)
        changes.notify()
    }

    /// The interval for recording progress in the catalogue; only of use after a crash, and the journal is more exact.
    private static let noteInterval = Duration.seconds(5)

    private func note(_ progress: TransferProgress, of id: DownloadID, _ now: ContinuousClock.Instant) {
        live[id]?.noted = now
        // A failure does not matter: the next progress follows.
        try? usingList { () throws(DownloadError) in
            try catalogue.apply(
                [RecordChange(id, .done(progress.fileBytes, totalBytes: progress.totalBytes))], events: [])
        }
    }

    /// Adds an event of a run that continues to the group, and its output if it is not recorded.
    private func record(_ kind: DownloadEvent.Kind, of id: DownloadID, _ output: RunOutput?) {
        var batch = Batch()
        var followUp = FollowUp.none
        if let output, live[id]?.placed.has(output) == false {
            batch.changes.append(RecordChange(id, output.change))
            followUp = .output(id, output, nil)
        }
        add(kind, of: id, clock.milliseconds(), &batch)
        group(batch, then: followUp)
    }

    /// Adds the output of a run that is about to name its file to the group.
    private func name(_ id: DownloadID, _ output: RunOutput, _ waiter: OutputWaiter) {
        var batch = Batch()
        if live[id] != nil { batch.changes.append(RecordChange(id, output.change)) }
        group(batch, then: .output(id, output, waiter))
    }

    func ended(_ id: DownloadID, _ result: Result<FinishFacts, DownloadError>) {
        scheduler.ended(id)
        guard let entry = live[id] else { return }
        recent.add(entry.watch, of: id)
        countBytes(of: id, result)
        let end: Lifecycle.RunEnd
        switch result {
        case .success(let facts):
            live[id]?.finish = facts
            live[id]?.path = facts.path
            end = .finished
        case .failure(let error):
            let failure = failure(error, of: entry)
            live[id]?.failure = failure
            end = runEnd(failure, of: entry)
        }
        if end != .short { shortages[id] = nil }
        var batch = Batch()
        if end == .finished, entry.lifecycle.run != .going { recordSource(of: entry, id, &batch) }
        let total = live[id]?.finish?.totalBytes ?? entry.progress.totalBytes
        // The state of a finished download includes its size.
        if live[id]?.finish == nil {
            batch.changes.append(RecordChange(id, .done(entry.progress.fileBytes, totalBytes: total)))
        }
        // The identity of the partial file was for the case that this process is killed; a freed inode number may be
        // reused by another file. A removal needs it until the files are removed: by the next launch, after a kill.
        if !entry.isBeingRemoved {
            batch.changes.append(RecordChange(id, .targetPath(live[id]?.path, totalBytes: total, fileID: nil)))
        }
        let standing = StoredStanding(id: id, state: entry.lifecycle.state, hasBegun: true)
        _ = decide(standing, .ended(end), &batch)
        group(batch, then: .ended(id, result))
    }

    /// Keeps the end of a run that the catalogue could not record, to try again; the end is not published before.
    ///
    /// If the manager is closed first, the record still says that the download was running, and the next launch finds
    /// out how it ended.
    func postpone(_ id: DownloadID, _ result: Result<FinishFacts, DownloadError>, _ error: DownloadError) {
        guard !isClosing else { return settle(id) }
        unrecorded[id] = result
        disappoint(id, error)
    }

    // MARK: - File work

    /// Removes files, and carries out the rest of the effects afterwards.
    ///
    /// - Parameter record: The record before the change that caused this.
    func work(
        on effect: Lifecycle.Effect, then rest: [Lifecycle.Effect], _ record: StoredRecord, _ lifecycle: Lifecycle
    ) {
        let id = record.id
        var entry = live[id] ?? LiveDownload(record, spec: secrets[id] ?? record.spec, clock)
        entry.lifecycle = lifecycle
        entry.cleanup = LiveDownload.Cleanup(rest: rest)
        live[id] = entry
        var options = RunOptions(record)
        options.targetPath = entry.path ?? record.targetPath
        // Before a download has finished, a file with its final name belongs to something else, or to an earlier run.
        let finished = entry.finish ?? record.lastFinish
        switch effect {
        case .delete(.all): mailbox.post(.cleanup(id, .delete(record.spec, options, finished: finished)))
        case .delete, .discard, .enqueue, .dequeue, .start, .stop, .awaitSpace, .forget, .emit:
            mailbox.post(.cleanup(id, .discard(record.spec, options)))
        }
    }

    private func startCleanupJobs(in tasks: inout DiscardingTaskGroup) {
        for (id, cleanup) in cleanupJobs.due() { begin(cleanup, id, in: &tasks) }
    }

    private func begin(_ cleanup: CleanupJob, _ id: DownloadID, in tasks: inout DiscardingTaskGroup) {
        tasks.addTask { [engine, runs, mailbox, rule = configuration.folderRule, self] in
            runs?.discard(id)
            if let refusal = await refusal(of: cleanup.folders) { return mailbox.post(.cleanupDone(id, refusal)) }
            for attempt in 1... {
                do throws(DownloadError) {
                    try await Self.remove(cleanup, engine, rule)
                    return mailbox.post(.cleanupDone(id, nil))
                } catch {
                    // Another job may look at the same partial file for a moment.
                    guard error.code == .destinationBusy, attempt < Self.cleanupAttempts,
                        (try? await Task.sleep(for: .milliseconds(50))) != nil
                    else { return mailbox.post(.cleanupDone(id, error)) }
                }
            }
        }
    }

    private static let cleanupAttempts = 4

    private static func remove(
        _ cleanup: CleanupJob, _ engine: DownloadEngine, _ rule: FolderRule?
    ) async throws(DownloadError) {
        switch cleanup {
        case .discard(let spec, var options):
            rule?.apply(to: &options)
            try await engine.discardPartial(of: spec, options)
        case .delete(let spec, var options, let finished):
            rule?.apply(to: &options)
            try await engine.removeAll(of: spec, options, finished: finished)
        }
    }

    /// Completes file work; if files could not be removed, the command says so, and still removes or cancels the download.
    func cleanupDone(_ id: DownloadID, _ error: DownloadError?) {
        guard let entry = live[id], let cleanup = entry.cleanup else { return }
        if let error {
            configuration.logger.warning("files not removed", metadata: ["download": "\(id)", "error": "\(error)"])
            if removals > 0, error.isFailedRemoval { unremoved[id] = error.ofRemoval(of: id) }
        }
        var batch = Batch()
        let now = clock.milliseconds()
        let isForgotten = cleanup.rest.contains(where: \.isForgetting)
        if !isForgotten {
            batch.changes = [
                RecordChange(id, .targetPath(nil, totalBytes: nil, fileID: nil)),
                RecordChange(id, .done(0, totalBytes: nil)), RecordChange(id, .hasPendingTerminalEvent(false)),
            ]
            if cleanup.rest.contains(.enqueue) { batch.changes.append(RecordChange(id, .state(.queued, time: now))) }
        }
        emit(cleanup.rest, of: id, now, &batch)
        let lines = endLines(batch.events)
        let events = numbered(batch.events)
        do throws(DownloadError) {
            try usingList { () throws(DownloadError) in try catalogue.apply(batch.changes, events: events) }
            if isForgotten { count(entry.lifecycle.state, -1) }
        } catch {
            // Recording is retried until it succeeds, but those waiting get the error now. If the manager is closed
            // meanwhile, the next launch completes the removal or the cancellation.
            guard !isClosing else { return settle(id) }
            unforgotten.insert(id)
            return disappoint(id, error)
        }
        log(lines)
        unforgotten.remove(id)
        live[id]?.cleanup = nil
        settle(id)
        perform(cleanup.rest, of: id, entry.lifecycle)
        spread(events)
    }

    // MARK: - Time

    private func notify(_ alarm: Alarm, in tasks: inout DiscardingTaskGroup) {
        alarms.remove(alarm)
        switch alarm {
        case .start, .signal: break
        case .record: recordAgain(in: &tasks)
        case .space:
            lookAtDisk(in: &tasks)
            lookForNetwork(in: &tasks)
        case .sync: syncList(in: &tasks)
        }
    }

    private func lookAtDisk(in tasks: inout DiscardingTaskGroup) {
        relieveCrowd()
        let folders = Set(short.values.filter { $0.kind == .space }.map(\.folder))
        tasks.addTask { [engine, mailbox] in
            var free: [String: Int64] = [:]
            // If the free space is unknown, as for a deleted folder, the run starts and reports the error.
            for folder in folders { free[folder] = await engine.freeSpace(at: folder) ?? .max }
            mailbox.post(.space(free))
        }
    }

    /// Returns the downloads to the queue for which there is enough space now.
    private func look(at free: [String: Int64]) {
        let now = clock.now
        let hasRoute = short.values.contains { $0.kind == .network } && configuration.network.hasRoute()
        func isOver(_ shortage: Shortage) -> Bool {
            switch shortage.kind {
            case .space: free[shortage.folder] ?? 0 >= shortage.room.needed
            case .files: true
            case .network: hasRoute
            case .metered: configuration.network.isMetered() != true
            }
        }
        for (id, shortage) in short where now >= shortage.earliest && isOver(shortage) {
            short[id] = nil
            enqueue(id)
        }
    }

    func awaitSpace(_ id: DownloadID) {
        guard let entry = live[id] else { return }
        let folder =
            switch entry.spec.destination {
            case .file(let path): PartialNames(final: entry.path ?? path).folder
            case .folder(let path), .hashed(let path): path
            }
        // Free space need not be usable (quotas, reserved blocks): after each shortage in a row, the pause is longer.
        let times = shortages[id, default: 0]
        shortages[id] = times + 1
        let kind = entry.shortageKind
        if kind == .files { becomeFewer() }
        let maximum: Duration = kind == .files ? Self.maxFilePause : .seconds(300)
        // It is tried again when the network has changed, so this is not a guess.
        let pause: Duration =
            kind == .network || kind == .metered
            ? .zero : min(configuration.spaceInterval * (1 << min(times, 10)), maximum)
        short[id] = Shortage(
            room: entry.shortage, folder: entry.spec.dataFolder(folder), earliest: clock.now + pause,
            kind: kind, hosts: kind == .network ? engine.firstHosts(of: entry.spec) : [])
    }
}

extension LiveDownload {
    /// The thing that the run lacked.
    fileprivate var shortageKind: Shortage.Kind {
        if leavesMetered { return .metered }
        if failure?.detail == .noNetwork { return .network }
        return failure?.code == .tooManyFiles ? .files : .space
    }
}

extension LocalManager {
    /// Returns the error of a run, which was stopped by the manager if only a network is left that it may not use.
    private func failure(_ error: DownloadError, of entry: LiveDownload) -> DownloadError {
        guard entry.leavesMetered, error.code == .cancelled, !entry.spec.mayRepeat else { return error }
        return DownloadError(.connectionFailed, "only a metered network is left")
            .notRepeating(entry.spec.source.requestMethod)
    }

    private func runEnd(_ error: DownloadError, of entry: LiveDownload) -> Lifecycle.RunEnd {
        if entry.leavesMetered, error.code == .cancelled { return .short }
        if error.detail == .noNetwork { return configuration.waitsForNetwork ? .short : .failed }
        if error.code == .noSpace, !configuration.waitsForSpace { return .failed }
        let end = Lifecycle.RunEnd(error)
        // Whatever was lacking, the request was probably sent before.
        return end == .short && !entry.spec.mayRepeat ? .failed : end
    }
}

extension Lifecycle.RunEnd {
    /// Creates the end of a run from its error.
    init(_ error: DownloadError) {
        switch error.code {
        case .cancelled: self = .stopped
        case .linkExpired: self = .expired
        case .noSpace, .tooManyFiles: self = .short
        case .invalidRequest, .nameNotResolved, .connectionFailed, .timedOut, .tlsFailed, .notFound, .notAuthorized,
            .serverBusy, .unexpectedStatus, .redirectRefused, .badResponse, .contentEncoded, .sourceChanged,
            .checksumMismatch, .fileFailed, .destinationExists, .destinationBusy, .noSuchDownload, .notPossible,
            .catalogueBusy, .catalogueFailed, .internal:
            self = .failed
        }
    }
}
