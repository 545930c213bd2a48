import HaulCore
import HaulEngine
import HaulManager
import HaulStore

/// Commands for all downloads that match a filter.
///
/// They work in portions, each of which is one transaction. After a portion, other calls get their turn. File work is
/// waited for before the next portion begins, once all downloads that might start have the command, or much of it is
/// pending. So neither the time that others wait nor the memory depends on the number of downloads.
extension LocalManager {
    /// The number of downloads per transaction.
    private static let bulkPortion = 500
    /// The number of downloads that are looked up at once.
    private static let bulkPage = 20_000
    /// The number of downloads with pending file work that is waited for while others might start.
    private static let bulkFileWork = 5_000

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
        let due = try await ids(filter, verb.states.filter(\.mayRun))
        let known = Set(due)
        let others = try await ids(filter, verb.states.filter { !$0.mayRun }).filter { !known.contains($0) }
        let (first, rest) = (due.chunks(of: Self.bulkPortion), others.chunks(of: Self.bulkPortion))
        var count = 0
        var (stopping, cleaning, occupied): ([DownloadID], [DownloadID], [DownloadID]) = ([], [], [])
        var unremoved: [DownloadError] = []
        do throws(DownloadError) {
            for (number, ids) in (first + rest).enumerated() {
                let result = try command(verb, ids, filter.states)
                count += result.changed.count
                occupied += result.occupied
                for id in result.changed {
                    guard let entry = live[id] else { continue }
                    if entry.cleanup == nil { stopping.append(id) } else { cleaning.append(id) }
                }
                if number + 1 >= first.count || cleaning.count >= Self.bulkFileWork {
                    // A disk that does not respond must not keep the downloads on other disks from starting.
                    if holdsStarts { releaseStarts() }
                    holdsStarts = false
                    for id in cleaning { try await settled(id) }
                    unremoved += cleaning.compactMap { self.unremoved.removeValue(forKey: $0) }
                    cleaning = []
                }
                await Task.yield()
            }
            for id in occupied {
                try await unoccupied(id)
                let result = try command(verb, CollectionOfOne(id), filter.states)
                count += result.changed.count
                stopping += result.changed
            }
            for id in stopping { try await settled(id) }
            unremoved += stopping.compactMap { self.unremoved.removeValue(forKey: $0) }
        } catch {
            throw count > 0 ? error.afterChanges(of: count, in: due.count + others.count) : error
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
                // Only between pages: a download must not move meanwhile to a state that was looked up before.
                if position != nil { await Task.yield() }
            } while position != nil
        }
        let discarding = Set(live.keys.filter(isDiscarding))
        if !discarding.isEmpty, states.contains(.queued), filter.states?.contains(StoredState.queued.kind) ?? true {
            let cancelled = try catalogue.ids(StoredFilter(filter, states: [.cancelled]))
            ids += cancelled.filter { discarding.contains($0) && known.insert($0).inserted }
        }
        return ids
    }

    /// Gives a command to some downloads, and skips those in a state that it does not apply to.
    ///
    /// - Returns: The downloads that changed, and those that accept no command until their files are removed. A
    ///   download that is being removed from the list gets no other command.
    private func command(
        _ verb: DownloadVerb, _ ids: some Sequence<DownloadID>, _ kinds: Set<DownloadState.Kind>?
    ) throws(DownloadError) -> (changed: [DownloadID], occupied: [DownloadID]) {
        try open()
        var batch = Batch()
        var (changed, occupied): ([DownloadID], [DownloadID]) = ([], [])
        // Other commands may have changed them since they were looked up.
        for standing in try catalogue.standings(ids) {
            let state = isDiscarding(standing.id) ? .queued : standing.state
            guard verb.states.contains(state), kinds?.contains(state.kind) ?? true else { continue }
            if let cleanup = live[standing.id]?.cleanup {
                if verb.isRemoval || !cleanup.rest.contains(where: \.isForgetting) { occupied.append(standing.id) }
            } else if case .done = decide(standing, verb.command, &batch) {
                changed.append(standing.id)
            }
        }
        try commit(batch)
        return (changed, occupied)
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

    /// True if the command removes downloads from the list.
    fileprivate var isRemoval: Bool {
        switch self {
        case .remove: true
        case .pause, .resume, .cancel, .retry: false
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

extension StoredState {
    /// True if a download in this state runs, or starts by itself.
    fileprivate var mayRun: Bool {
        switch self {
        case .queued, .active: true
        case .paused, .held, .finished, .failed, .cancelled: false
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
