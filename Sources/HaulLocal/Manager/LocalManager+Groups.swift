import HaulCore
import HaulEngine
import HaulManager
import HaulStore

/// Commands for all downloads that match a filter.
///
/// They work in portions, each of which is one transaction. After a portion, other calls get their turn, and its file
/// work is waited for before the next one begins. So neither the time that others wait nor the memory depends on the
/// number of downloads.
extension LocalManager {
    /// The number of downloads per transaction.
    private static let bulkPortion = 500
    /// The number of downloads that are looked up at once.
    private static let bulkPage = 20_000

    func perform(_ verb: DownloadVerb, on filter: DownloadFilter) async throws(DownloadError) -> Int {
        // A download that starts in a slot that the command has freed might finish before the command reaches it.
        var holdsStarts = verb.stopsRuns
        if holdsStarts { startHolds += 1 }
        catalogue.checkpoint(.frequent)
        beginRemovals()
        defer {
            endRemovals()
            catalogue.checkpoint(.rare)
            if holdsStarts { releaseStarts() }
        }
        // All are looked up first, so that a download that the command moves into another of these states does not get
        // it twice.
        let found = try await ids(filter, verb.states)
        var count = 0
        var stopping: [DownloadID] = []
        var unremoved: [DownloadError] = []
        do throws(DownloadError) {
            for ids in found.chunks(of: Self.bulkPortion) {
                let changed = try await command(verb, ids, filter.states)
                count += changed.count
                for id in changed {
                    guard let entry = live[id] else { continue }
                    if entry.cleanup == nil { stopping.append(id) } else { try await settled(id) }
                }
                unremoved += changed.compactMap { self.unremoved.removeValue(forKey: $0) }
                await Task.yield()
            }
            // All have the command now, and a run on a frozen disk may take long to stop.
            if holdsStarts { releaseStarts() }
            holdsStarts = false
            for id in stopping { try await settled(id) }
            unremoved += stopping.compactMap { self.unremoved.removeValue(forKey: $0) }
        } catch {
            throw count > 0 ? error.afterChanges(of: count, in: found.count) : error
        }
        if let first = unremoved.first { throw first.afterRemovals(of: count, failed: unremoved.count) }
        return count - (verb.stopsRuns ? try ended(stopping) : 0)
    }

    private func releaseStarts() {
        startHolds -= 1
        mailbox.post(.wake)
    }

    /// Returns the matching downloads, each once, those in the first of these states first.
    private func ids(
        _ filter: DownloadFilter, _ states: [StoredState]
    ) async throws(DownloadError) -> [DownloadID] {
        var ids: [DownloadID] = []
        // One that changes its state between two pages would be found twice.
        var known: Set<DownloadID> = []
        for state in states where filter.states?.contains(state.kind) ?? true {
            var position: Position?
            repeat {
                try open()
                let page = try catalogue.ids(
                    StoredFilter(filter, states: [state]), after: position, limit: Self.bulkPage)
                ids += page.ids.filter { known.insert($0).inserted }
                position = page.next
                await Task.yield()
            } while position != nil
        }
        return ids
    }

    /// Gives a command to some downloads, and skips those in a state that it does not apply to.
    ///
    /// - Returns: The downloads that changed.
    private func command(
        _ verb: DownloadVerb, _ ids: ArraySlice<DownloadID>, _ kinds: Set<DownloadState.Kind>?
    ) async throws(DownloadError) -> [DownloadID] {
        // A download whose files are being removed accepts no command until they are gone.
        for id in ids where live[id]?.cleanup != nil { try await unoccupied(id) }
        try open()
        var batch = Batch()
        var changed: [DownloadID] = []
        // Other commands may have changed them since they were looked up.
        for standing in try catalogue.standings(ids)
        where verb.states.contains(standing.state) && kinds?.contains(standing.state.kind) ?? true {
            if case .done = decide(standing, verb.command, &batch) { changed.append(standing.id) }
        }
        try commit(batch)
        return changed
    }

    /// Returns the number of these downloads that finished or failed before they could be stopped.
    private func ended(_ ids: [DownloadID]) throws(DownloadError) -> Int {
        try catalogue.standings(ids).count { $0.state == .finished || $0.state == .failed }
    }
}

extension DownloadVerb {
    /// The lifecycle's command.
    var command: Lifecycle.Command {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel(let keepPartial): .cancel(keepPartial: keepPartial)
        case .remove(let files): .remove(files)
        case .retry(let fromStart): .retry(fromStart: fromStart)
        }
    }

    /// True if the command stops downloads that run.
    var stopsRuns: Bool {
        switch self {
        case .pause, .cancel, .remove: true
        case .resume, .retry: false
        }
    }

    /// The states that the command applies to if it is given to many downloads; those with a run come first.
    var states: [StoredState] {
        switch self {
        case .pause: [.active, .queued]
        case .resume: [.paused]
        case .cancel(keepPartial: true): [.active, .queued, .paused, .held, .failed]
        case .cancel(keepPartial: false): [.active, .queued, .paused, .held, .failed, .cancelled]
        case .remove: [.active, .queued, .paused, .held, .finished, .failed, .cancelled]
        case .retry: [.failed, .cancelled]
        }
    }
}

extension DownloadError {
    /// Returns the error of a command for many downloads that was carried out for some of them.
    func afterChanges(of count: Int, in all: Int) -> DownloadError {
        let words = "\(message); before that, \(count) of \(all) downloads were changed"
        return DownloadError(code, words, cause: cause, detail: detail).of(status: status)
    }

    /// Returns the error of a command that was carried out, except for the removal of some files.
    fileprivate func afterRemovals(of count: Int, failed: Int) -> DownloadError {
        let more = failed > 1 ? ", and so with \(failed - 1) more" : ""
        return DownloadError(
            code, "\(message)\(more); \(count) downloads were changed", cause: cause, detail: detail)
    }
}
