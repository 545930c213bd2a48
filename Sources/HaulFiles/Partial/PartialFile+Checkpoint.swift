import Synchronization

extension PartialFile {
    /// Makes everything written so far survive a power failure (guarantee: nothing lost).
    ///
    /// The order matters: the counters are read, the data is synced, only then are the values read before the sync
    /// written as durable, and the journal is synced. If there are no new bytes, nothing happens.
    ///
    /// - Throws: `FileError`. After a failed sync of the data, nothing written since the last checkpoint is ever
    ///   trusted again, and both this and `publish` keep failing: the download must be opened again.
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

    #if canImport(Darwin)
        /// Empties the drive's cache, where checkpoints may still be (`F_BARRIERFSYNC`).
        package func flush() throws(FileError) { try system.sync(data) }
    #endif

    /// Syncs the data; remembers a failure for good.
    ///
    /// The journal says while it runs: see `settle`.
    func syncData(withDates: Bool = false) throws(FileError) {
        try note(isSyncing: true)
        do {
            if withDates { try system.sync(data) } else { try system.syncData(data) }
        } catch {
            distrust(after: error)
            throw error
        }
        try note(isSyncing: false)
    }

    /// Writes the header's check value, which says whether a sync is running.
    private func note(isSyncing: Bool) throws(FileError) {
        let (header, journal) = state.withLock { state in
            state.header?.isSyncing = isSyncing
            return (state.header, state.journal)
        }
        guard let header, let journal else { return }
        let bytes = header.encoded()
        // Safe: a UInt8 has no padding.
        let check = unsafe bytes.span.bytes.extracting(last: bytes.count - JournalHeader.checkStart)
        try system.write(journal, check, at: Int64(JournalHeader.checkStart))
    }

    /// Syncs the names of the partial file and of the journal: otherwise the bytes could not be found after a power
    /// failure.
    private func syncNames() throws(FileError) {
        guard state.withLock({ $0.hasUnsyncedNames }) else { return }
        try system.syncFolder(names.dataFolder)
        state.withLock { $0.hasUnsyncedNames = false }
    }

    /// Reduces the journal and the file to what is durable: a kernel drops pages that it could not write, and later reads
    /// may return old data.
    ///
    /// A journal that can't be corrected is emptied or removed, which costs the bytes but is never wrong.
    ///
    /// The blocks of everything else are given back. Writing the same bytes into them again is not enough: ext4 then
    /// believes that they are on disk, a later sync succeeds, and they read as zeros once they have left the cache.
    private func distrust(after failure: FileError) {
        let (slots, journal) = state.withLock { state in
            state.syncFailure = failure
            return (state.slots, state.journal)
        }
        do {
            for slot in slots { try slot.distrust() }
            let durable = slots.map { ResumedSegment(start: $0.start, position: $0.durable) }
            guard try !Self.giveBack(data, outside: durable) else { return }
            // What is durable behind the first gap is lost as well; the journal says so first.
            for slot in slots { try slot.distrust(from: Self.prefix(of: durable)) }
            try Self.cut(data, to: durable, size: try system.status(data).size)
        } catch {
            do {
                if let journal { try system.truncate(journal, size: 0) }
            } catch {
                try? system.unlink(names.journal)
            }
            try? system.truncate(data, size: 0)
        }
    }

    /// Returns the ranges of a file outside some segments; the last one ends beyond the end, so that its last block is
    /// complete.
    package static func gaps(between segments: [ResumedSegment], in size: Int64) -> [Range<Int64>] {
        let end = size + (1 << 20)
        var gaps: [Range<Int64>] = []
        var reach: Int64 = 0
        for segment in segments.sorted(by: { $0.start < $1.start }) where segment.position > segment.start {
            if segment.start > reach { gaps.append(reach..<segment.start) }
            reach = max(reach, segment.position)
        }
        if reach < size { gaps.append(reach..<end) }
        return gaps
    }
}
