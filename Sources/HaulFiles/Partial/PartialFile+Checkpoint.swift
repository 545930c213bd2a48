import Synchronization

extension PartialFile {
    /// Makes what is written so far survive a power cut (guarantee: nothing lost).
    ///
    /// The order is the point: the counters are looked at, the data is synced, only then are the counters' values of
    /// before written as durable, and the journal is synced. Where nothing is new, nothing happens.
    ///
    /// - Throws: `FileError`. After a failed sync of the data nothing that was written since the last checkpoint is
    ///   believed ever again, and neither this nor `publish` succeeds any more: the download has to be opened again.
    package func checkpoint() throws(FileError) {
        try checkpointing.withLock { progress throws(FileError) in
            let (slots, journal, failure) = state.withLock { ($0.slots, $0.journal, $0.syncFailure) }
            if let failure { throw failure }
            guard let journal else { return }
            let pending = slots.map { (slot: $0, position: $0.pending) }
            guard progress.mustRewrite || pending.contains(where: { $0.position != nil }) else { return }
            try syncData()
            try syncNames()
            let rewrites = progress.mustRewrite
            progress.mustRewrite = true
            for (slot, position) in pending where rewrites || position != nil {
                try slot.raiseDurable(to: position ?? slot.start, evenIfSame: rewrites)
            }
            try system.syncData(journal)
            progress.mustRewrite = false
        }
    }

    /// Syncs the data; a failure is remembered for good.
    func syncData(withDates: Bool = false) throws(FileError) {
        do {
            if withDates { try system.sync(data) } else { try system.syncData(data) }
        } catch {
            distrust(after: error)
            throw error
        }
    }

    /// The names of the partial and of the journal have to be on the medium, too, or after a power cut nobody finds the
    /// bytes.
    private func syncNames() throws(FileError) {
        guard state.withLock({ $0.hasUnsyncedNames }) else { return }
        try system.syncFolder(names.partialFolder)
        state.withLock { $0.hasUnsyncedNames = false }
    }

    /// Takes the journal back to what is durable: a kernel drops pages that it could not write, and what a read then
    /// brings may be old.
    ///
    /// A journal that can't even be corrected is emptied or removed, which costs the bytes and is never wrong.
    private func distrust(after failure: FileError) {
        let (slots, journal) = state.withLock { state in
            state.syncFailure = failure
            return (state.slots, state.journal)
        }
        do {
            for slot in slots { try slot.distrust() }
        } catch {
            do {
                if let journal { try system.truncate(journal, size: 0) }
            } catch {
                try? system.unlink(names.journal)
            }
        }
    }
}
