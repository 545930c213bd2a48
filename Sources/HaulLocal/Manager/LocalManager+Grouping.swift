import HaulCore
import HaulEngine
import HaulStore

/// Recording the steps of several downloads in one transaction.
///
/// Messages that arrive while a transaction is being written are handled together, and what they change is recorded in
/// the next one. Nothing is carried out or published before: a run that starts waits for it, and so does a file that is
/// to be named. See docs/decisions/0030.
extension LocalManager {
    /// The changes for one message or one start, and what follows when they are recorded.
    struct GroupEntry {
        var batch = Batch()
        var followUp: FollowUp
    }

    /// The work after an entry is recorded, or could not be.
    enum FollowUp {
        case none
        /// A download that lacks credentials; its turn comes again if that could not be recorded.
        case held(DownloadID)
        /// The end of a run; it is recorded later if it could not be.
        case ended(DownloadID, Result<FinishFacts, DownloadError>)
        /// The start of a run.
        case start(DownloadID, StoredRecord)
        /// The path and the file of a run; a waiter may have asked for it.
        case output(DownloadID, RunOutput, OutputWaiter?)
        /// The progress of a run, which follows the events before it.
        case progress(DownloadID)
    }

    /// Adds an entry to the present group.
    func group(_ batch: Batch, then followUp: FollowUp) { group.append(GroupEntry(batch: batch, followUp: followUp)) }

    /// Records the present group, and carries out what follows.
    func recordGroup(in tasks: inout DiscardingTaskGroup) {
        guard !group.isEmpty else { return }
        let entries = group
        group = []
        do throws(DownloadError) {
            try commit(entries)
            for entry in entries { follow(entry.followUp, nil, in: &tasks) }
        } catch {
            recordSingly(entries, error, in: &tasks)
        }
    }

    /// Records the entries of a group that could not be recorded one by one, since the fault may be that of a single
    /// one; if the list can't be written, the rest fails, too.
    private func recordSingly(
        _ entries: [GroupEntry], _ failure: DownloadError, in tasks: inout DiscardingTaskGroup
    ) {
        var failure = entries.count == 1 ? failure : nil
        for entry in entries {
            if failure == nil {
                do throws(DownloadError) { try commit([entry]) } catch { failure = error }
            }
            follow(entry.followUp, failure, in: &tasks)
            if let code = failure?.code, code != .catalogueFailed, code != .catalogueBusy { failure = nil }
        }
    }

    private func commit(_ entries: [GroupEntry]) throws(DownloadError) {
        var all = Batch()
        for entry in entries {
            all.steps += entry.batch.steps
            all.changes += entry.batch.changes
            all.events += entry.batch.events
        }
        try commit(all)
    }

    private func follow(_ followUp: FollowUp, _ failure: DownloadError?, in tasks: inout DiscardingTaskGroup) {
        switch followUp {
        case .none: break
        case .held(let id):
            if failure != nil { unstarted.insert(id) }
        case .ended(let id, let result):
            if let failure { postpone(id, result, failure) } else { unrecorded[id] = nil }
        case .start(let id, let record): startRecorded(id, record, failure, in: &tasks)
        case .output(let id, let output, let waiter):
            if failure == nil { live[id]?.placed.set(output) }
            waiter?.resume()
        case .progress(let id):
            // The end of the run may be part of the same group.
            if live[id]?.lifecycle.run != Lifecycle.Run.none { publishProgress(of: id) }
        }
    }
}
