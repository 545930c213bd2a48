package import HaulCore
import Synchronization

extension PartialFile {
    /// Lets go of the files and keeps what can be gone on with.
    ///
    /// Call `checkpoint` first, so that a power cut costs nothing.
    ///
    /// A partial that could never be resumed (nothing in it, or without a journal) is removed, so that no litter is left if a download
    /// ends before it has begun. What was found is never removed.
    package func close() {
        let isEmpty = opened.size == 0 && hasNoJournal
        let isLitter = state.withLock { state in
            switch state.stage {
            case .asFound: isEmpty
            case .begun: state.journal == nil || state.slots.allSatisfy { $0.written == $0.start }
            case .complete, .over: false
            }
        }
        // The lock keeps other downloads away, but not the user: another file may have the name by now. The journal goes last: a partial
        // without one, as a kill in between would leave it, is nobody's.
        if isLitter {
            try? removeOwnPartial()
            removeOwnJournal()
        }
        letGo()
    }

    /// Removes the journal that this run has made, unless another file has its name by now.
    ///
    /// As soon as the partial has its final name, another download may begin one of the old name and put its journal there.
    func removeOwnJournal() {
        guard let journal = state.withLock({ $0.journal ?? $0.mark }), let own = try? system.status(journal),
            let named = try? system.status(atPath: names.journal), named.isSameFile(as: own)
        else { return }
        try? system.unlink(names.journal)
    }

    /// Whether there is no journal: a run that has just published its file may have removed it since this one looked.
    private var hasNoJournal: Bool {
        if state.withLock({ !$0.hasOldJournal && $0.mark == nil }) { return true }
        do throws(FileError) {
            return try system.status(atPath: names.journal) == nil
        } catch {
            return false
        }
    }

    /// Removes the partial and its journal.
    ///
    /// - Parameter all: Whether a journal that was being written when a process ended goes as well.
    /// - Throws: `DownloadError` with `fileFailed` where one of them can't be removed; both are closed all the same.
    package func discard(all: Bool = false) throws(DownloadError) {
        let isOver = state.withLock { $0.stage == .over }
        defer { letGo() }
        guard !isOver else { return }
        // In this order for the reason that `close` has.
        try publicly { () throws(FileError) in
            try removeOwnPartial()
            if state.withLock({ $0.journal ?? $0.mark }) != nil {
                removeOwnJournal()
            } else if !hasNoJournal {
                try system.unlink(names.journal)
            }
            if all { try system.unlink(names.newJournal) }
        }
    }

    /// Removes the partial, unless another program has put its own file there meanwhile.
    private func removeOwnPartial() throws(FileError) {
        guard let named = try system.status(atPath: names.partial), named.isSameFile(as: opened) else { return }
        try system.unlink(names.partial)
    }

    /// What room the disk lacks for the whole file, beyond what the partial takes already; nil where that is not known.
    package var missingRoom: MissingRoom? {
        guard let total = state.withLock({ $0.totalBytes }), let now = try? system.status(data),
            let space = try? system.space(data)
        else { return nil }
        let needed = max(1, total - now.allocated)
        // Others may have made room since: it was missing all the same.
        return MissingRoom(missing: max(1, needed - max(0, space.available)), needed: needed)
    }

    func letGo() {
        let (journal, mark) = state.withLock { state in
            state.stage = .over
            return (state.journal, state.mark)
        }
        journal?.close()
        mark?.close()
        data.close()
    }
}
