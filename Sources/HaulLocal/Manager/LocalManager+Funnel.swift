import HaulCore
import HaulEngine
import HaulLibC
import HaulManager
import HaulStore
import Logging

/// The only path for changes: decide, record, then carry out and publish.
extension LocalManager {
    /// The next step of a download, decided but not yet recorded.
    struct Step {
        var id: DownloadID
        var before: StoredState
        var hadRun: Bool
        var after: Lifecycle
        /// The effects to carry out; those after file work wait for it.
        var effects: [Lifecycle.Effect]
    }

    /// The catalogue changes of some steps, together with their events.
    struct Batch {
        var steps: [Step] = []
        var changes: [RecordChange] = []
        var events: [DownloadEvent] = []
    }

    /// Gives a command to one download.
    ///
    /// - Returns: True if anything changed.
    @discardableResult
    func command(_ id: DownloadID, _ command: Lifecycle.Command) throws(DownloadError) -> Bool {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        var batch = Batch()
        let response = decide(record.standing, command, &batch)
        switch response {
        case .refused(let refusal): throw DownloadError(refusal, of: id)
        case .unchanged: return false
        case .done:
            try commit(batch)
            return true
        }
    }

    /// Lets the lifecycle decide, and adds the changes to be recorded to a batch.
    func decide(_ stored: StoredStanding, _ command: Lifecycle.Command, _ batch: inout Batch) -> Lifecycle.Answer {
        let id = stored.id
        var lifecycle = live[id]?.lifecycle ?? Lifecycle(stored.state, hasBegun: stored.hasBegun)
        if live[id]?.cleanup != nil { return .refused(.isStopping) }
        let before = lifecycle
        if command.isAsked { unrepeatable.remove(id) }
        let response = lifecycle.handle(command)
        guard case .done(let effects) = response else { return response }
        note(
            Step(id: id, before: before.state, hadRun: before.run != .none, after: lifecycle, effects: effects),
            stored: stored.state, &batch)
        return response
    }

    /// Adds a step to a batch: its state, and the events that precede any file work.
    func note(_ step: Step, stored: StoredState, _ batch: inout Batch) {
        let now = clock.milliseconds()
        let isForgotten = step.effects.contains(where: \.isForgetting)
        // Cancelling a cancelled download again, or retrying a queued one from the start, discards its partial file.
        if step.after.state != stored || step.after.state == .cancelled || step.discardsBeforeRun, !isForgotten {
            batch.changes.append(RecordChange(step.id, .state(status(step), time: now)))
        }
        if let hasPendingTerminalEvent = step.hasPendingTerminalEvent, !isForgotten {
            batch.changes.append(RecordChange(step.id, .hasPendingTerminalEvent(hasPendingTerminalEvent)))
        }
        if let files = step.begunRemoval {
            // Before any file is removed: if the list can't be written, none is, and if this process is killed, the next
            // launch completes the removal.
            batch.changes.append(RecordChange(step.id, .removal(files)))
        }
        emit(step.effects.prefix { !$0.isFileWork }, of: step.id, now, &batch)
        batch.steps.append(step)
    }

    /// Adds the events of some effects, and the removal of a record.
    func emit(_ effects: some Sequence<Lifecycle.Effect>, of id: DownloadID, _ now: Int64, _ batch: inout Batch) {
        for effect in effects {
            switch effect {
            case .emit(let emitted): add(kind(emitted, of: id), of: id, now, &batch)
            case .forget(let files):
                batch.changes.append(RecordChange(id, .remove))
                add(.removed(files), of: id, now, &batch)
            case .enqueue, .dequeue, .start, .stop, .awaitSpace, .discard, .delete: break
            }
        }
    }

    /// Adds an event, which gets its number when it is recorded.
    func add(_ kind: DownloadEvent.Kind, of id: DownloadID, _ now: Int64, _ batch: inout Batch) {
        batch.events.append(DownloadEvent(number: 0, download: id, time: now.date, kind: kind))
    }

    /// Returns events with the numbers after the last one.
    func numbered(_ events: [DownloadEvent]) -> [DownloadEvent] {
        var events = events
        var number = hub.last
        for index in events.indices {
            number += 1
            events[index].number = number
        }
        return events
    }

    /// Records a batch, carries out its effects, and publishes its events.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`; nothing has changed then.
    func commit(_ batch: Batch) throws(DownloadError) {
        guard !batch.steps.isEmpty || !batch.changes.isEmpty || !batch.events.isEmpty else { return }
        var records: [DownloadID: StoredRecord] = [:]
        // Read before anything is recorded: without the record, the file work could not begin.
        for step in batch.steps where step.effects.contains(where: \.isFileWork) {
            records[step.id] = try catalogue.record(step.id)
        }
        let lines = endLines(batch.events)
        let events = numbered(batch.events)
        try usingList { () throws(DownloadError) in try catalogue.apply(batch.changes, events: events) }
        log(lines)
        count(events)
        for step in batch.steps { carryOut(step, records[step.id]) }
        spread(events)
        mailbox.post(.wake)
    }

    /// Publishes recorded events: to the model first, then to the subscribers, then to hook commands and the notifier.
    func spread(_ events: [DownloadEvent]) {
        guard !events.isEmpty else { return }
        for event in events { models.emit(event) }
        hub.publish(events)
        changes.notify()
        for event in events { runHooks(event) }
        for event in events {
            if case .removed = event.kind { models.forget(event.download) }
        }
        if let last = events.last, last.number / 1000 != (last.number - Int64(events.count)) / 1000 { prune() }
    }

    /// Deletes events that need not be kept.
    func prune() {
        // After a failure, the next attempt is a thousand events later.
        try? usingList { () throws(DownloadError) in try catalogue.pruneEvents(keeping: settings.eventsKept) }
    }

    private func carryOut(_ step: Step, _ record: StoredRecord?) {
        let isForgotten = step.effects.contains(where: \.isForgetting)
        count(step.before, -1)
        if !(isForgotten && !step.effects.contains(where: \.isFileWork)) { count(step.after.state, 1) }
        live[step.id]?.lifecycle = step.after
        perform(step.effects, of: step.id, step.after, record)
        if step.after.state == .finished { resolve(step.id) }
        if live[step.id]?.lifecycle.run == Lifecycle.Run.none, live[step.id]?.cleanup == nil { settle(step.id) }
    }

    func count(_ state: StoredState, _ change: Int) { counts[state, default: 0] += change }

    /// Carries out effects up to the first file work, which runs as a child task and is followed by the rest.
    ///
    /// - Parameter record: The record of before; needed for file work.
    func perform(
        _ effects: [Lifecycle.Effect], of id: DownloadID, _ lifecycle: Lifecycle, _ record: StoredRecord? = nil
    ) {
        for (index, effect) in effects.enumerated() {
            switch effect {
            case .enqueue: enqueue(id)
            case .dequeue: dequeue(id)
            case .start, .emit: break
            case .stop: live[id]?.stop.set()
            case .awaitSpace: awaitSpace(id)
            case .discard, .delete:
                guard let record else { return }
                return work(on: effect, then: Array(effects[(index + 1)...]), record, lifecycle)
            case .forget:
                secrets[id] = nil
                runs?.discard(id)
                dequeue(id)
                resolve(id)
            }
        }
    }

    /// Ends the work on a live download and resumes those waiting for that.
    func settle(_ id: DownloadID) {
        live[id] = nil
        changes.notify()
        for waiter in settling.removeValue(forKey: id) ?? [] { waiter.resume(returning: nil) }
    }

    /// Checks that the manager is open.
    ///
    /// - Throws: `DownloadError` with code `notPossible` once the manager is closed.
    func open() throws(DownloadError) {
        guard !isClosing else { throw DownloadError(.notPossible, "the manager is closed") }
    }
}

extension LocalManager.Step {
    /// True if a run or file work will report an end, false if none will any more; nil if that has not changed.
    var hasPendingTerminalEvent: Bool? {
        let isPending = after.run != .none || effects.contains(where: \.isFileWork)
        return isPending != hadRun ? isPending : nil
    }

    /// True if the partial file is to be discarded before the download is queued.
    ///
    /// Until that is done, the catalogue says that the download was cancelled without its partial file: if the process
    /// dies first, the next launch must not resume that file. A finished download has none.
    var discardsBeforeRun: Bool {
        after.state == .queued && before != .finished && effects.contains(.discard)
    }

    /// The files of a removal that begins with this step, and waits for the end of a run or for file work; nil if none
    /// does.
    var begunRemoval: RemovedFiles? {
        if case .stopping(.remove(let files)) = after.run { return files }
        guard !hadRun else { return nil }
        for effect in effects {
            if case .delete(let files) = effect { return files }
        }
        return nil
    }
}

extension Lifecycle.Command {
    /// True if somebody gave the command; false if the manager itself did.
    fileprivate var isAsked: Bool {
        switch self {
        case .pause, .resume, .restart, .cancel, .remove, .retry, .replaceSource: true
        case .grant, .lackCredentials, .ended: false
        }
    }
}

extension Lifecycle.Effect {
    /// True if the effect removes the record.
    var isForgetting: Bool {
        switch self {
        case .forget: true
        case .enqueue, .dequeue, .start, .stop, .awaitSpace, .discard, .delete, .emit: false
        }
    }

    /// True if the effect works on files, which takes time.
    var isFileWork: Bool {
        switch self {
        case .discard, .delete: true
        case .enqueue, .dequeue, .start, .stop, .awaitSpace, .forget, .emit: false
        }
    }
}
