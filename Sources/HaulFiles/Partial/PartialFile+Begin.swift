package import HaulCore
import Synchronization

extension PartialFile {
    /// Starts over: empties the partial file, reserves disk space and creates a new journal.
    ///
    /// A file of at most `smallFileBytes`, or one that is not resumed, gets an empty file in place of the journal,
    /// which marks the partial file as Haul's. May be called again if the source has changed; earlier slots are then
    /// invalid.
    ///
    /// Earlier data is discarded only once there is room for the file and its journal: if this throws before that, all
    /// of it can still be resumed.
    ///
    /// - Parameters:
    ///   - total: The size of the complete file, or nil if unknown.
    ///   - provenance: The origin of the bytes.
    ///   - describer: The source whose validators these are.
    ///   - canContinue: True if the source can send the rest of a file alone; otherwise there is no journal.
    ///   - allocates: True if space for the whole file is reserved now.
    ///   - segments: The start of each segment; the first one is 0.
    /// - Returns: A slot for each segment.
    /// - Throws: `DownloadError`: `noSpace` if the disk has too little space, with the required and the free bytes;
    ///   `fileFailed`.
    package func begin(
        total: Int64?, etag: String?, lastModified: String?, provenance: Provenance = .oneSource,
        describer: JournalDescriber = JournalDescriber(), canContinue: Bool = true, allocates: Bool = true,
        segments: [Int64] = [0]
    ) throws(DownloadError) -> [SegmentSlot] {
        forgetSurplus()
        let total = total.map { max(0, $0) }
        let (isFirst, hasOld) = state.withLock { state in
            state.totalBytes = total
            return (state.stage == .asFound, state.hasOldJournal)
        }
        let room = try findRoom(total, isFirst: isFirst)
        guard resumes, canContinue, total.map({ $0 > Self.smallFileBytes }) ?? true else {
            try requireOldJournal()
            try publicly { () throws(FileError) in try putMark() }
            try makeRoom(total, room, allocates)
            return segments.map(addSegment)
        }
        let slots = segments.map { JournalSlot(start: $0, written: $0, durable: $0) }
        // Before the bytes are touched: a file of this length without a journal would be taken for another program's.
        let made = try adopt(slots, total: total, (etag, lastModified, provenance, describer), synced: hasOld)
        // If the old journal reappeared after a power failure, it would describe the new bytes as the old ones.
        if hasOld { try publicly { () throws(FileError) in try system.syncFolder(names.dataFolder) } }
        try makeRoom(total, room, allocates)
        return made
    }

    /// Resumes from what was found, or from what this run has written if the size has become known meanwhile.
    ///
    /// The new journal never claims more than was found. It replaces the old one atomically, and the old one stays
    /// valid as long as it exists: the bytes that it describes are not touched.
    ///
    /// - Parameters:
    ///   - segments: The segments to resume, taken from those that were found; they may start elsewhere or contain
    ///     less. A position beyond what was found is reduced.
    ///   - keepsRest: True if the new journal also describes the other segments: bytes of the same version are about to
    ///     replace theirs.
    /// - Returns: A slot for each segment; its `written` is where the segment really resumes.
    /// - Throws: `DownloadError`: `noSpace`, `fileFailed`; `internal` if nothing was found.
    package func resume(
        total: Int64?, etag: String?, lastModified: String?, provenance: Provenance = .oneSource,
        describer: JournalDescriber = JournalDescriber(), segments: [ResumedSegment], keepsRest: Bool = false
    ) throws(DownloadError) -> [SegmentSlot] {
        forgetSurplus()
        guard let there = there() else {
            throw DownloadError(.internal, "\(names.partial) cannot be resumed")
        }
        let end = total ?? .max
        let starts = Set(segments.map(\.start))
        let rest = there.written.filter { keepsRest && !starts.contains($0.start) && $0.position > $0.start }
        let resumed = segments.filter { $0.start < end || $0.start == 0 }
        let slots = (resumed + rest.filter { $0.start < end }).map { segment in
            let reach = min(end, segment.position, Self.reach(from: segment.start, in: there.written))
            let written = max(segment.start, reach)
            let durable = min(written, Self.reach(from: segment.start, in: there.durable))
            return JournalSlot(start: segment.start, written: written, durable: durable)
        }
        state.withLock { $0.totalBytes = total }
        let size = try publicly { () throws(FileError) in try system.status(data).size }
        // A journal with a size treats a shorter file as truncated; one without a size accepts a longer one.
        if let total, total > size {
            try publicly { () throws(FileError) in try system.truncate(data, size: total) }
        }
        let made =
            if resumes {
                try adopt(
                    slots, total: total, (etag, lastModified, max(provenance, there.provenance), describer),
                    synced: true)
            } else {
                keepWithoutJournal(slots)
            }
        if let total, total < size {
            try publicly { () throws(FileError) in try system.truncate(data, size: total) }
        }
        return Array(made.prefix(resumed.count))
    }

    /// The content of the partial file, and the part of it that is on disk.
    private struct Content {
        var written: [ResumedSegment]
        var durable: [ResumedSegment]
        var provenance: Provenance
    }

    /// Returns what this run has written or, before it has begun, what was found; nil if there is nothing.
    private func there() -> Content? {
        let (stage, slots, header, failure) = state.withLock { ($0.stage, $0.slots, $0.header, $0.syncFailure) }
        switch (stage, found) {
        case (.begun, _):
            let durable = slots.map { ResumedSegment(start: $0.start, position: $0.durable) }
            // After a failed sync, the content of the page cache is unknown.
            let written = slots.map { ResumedSegment(start: $0.start, position: $0.written) }
            return Content(
                written: failure == nil ? written : durable, durable: durable,
                provenance: header?.provenance ?? .oneSource)
        case (.asFound, .resumable(let known)):
            return Content(written: known.segments, durable: durable, provenance: known.provenance)
        case (.asFound, _), (.complete, _), (.over, _): return nil
        }
    }

    private func keepWithoutJournal(_ slots: [JournalSlot]) -> [SegmentSlot] {
        state.withLock { state in
            state.slots = slots.enumerated().map { SegmentSlot($1, index: $0, nonce: 0, data: data, journal: nil) }
            return state.slots
        }
    }

    /// Replaces the journal with an empty file, durably, before the bytes that an old journal describes are destroyed:
    /// if the old one reappeared after a power failure, it would describe the new bytes as the old ones.
    private func putMark() throws(FileError) {
        let (hasOld, hasMark) = state.withLock { ($0.hasOldJournal, $0.mark != nil) }
        let mark = try system.open(names.journal, hasOld || hasMark ? .createEmpty : .createNew)
        if hasOld {
            try system.syncData(mark)
            try system.syncFolder(names.dataFolder)
        }
        state.withLock { state in
            (state.slots, state.journal, state.header) = ([], nil, nil)
            state.mark = mark
            state.stage = .begun
        }
    }

    /// Checks that the journal to be replaced is the one that was found, or this run's: where locks are not shared,
    /// another download may have put its own in place since.
    private func requireOldJournal() throws(DownloadError) {
        let (found, own) = state.withLock { ($0.oldJournal, $0.journal ?? $0.mark) }
        guard found != nil || own != nil else { return }
        let isOld = try publicly { () throws(FileError) in
            guard let named = try system.status(atPath: names.journal) else { return true }
            let expected = if let own { try system.status(own) } else { found }
            return expected.map(named.isSameFile) ?? true
        }
        guard isOld else { throw Self.busy(names) }
    }

    /// The state of the partial file and the disk before the file is emptied.
    private struct Room {
        var size: Int64
        var isInMemory: Bool
    }

    /// Checks that there is space for the whole file; returns nil if its size is unknown.
    ///
    /// The first time, the partial file is still as it was when opened: the lock keeps others away.
    private func findRoom(_ total: Int64?, isFirst: Bool) throws(DownloadError) -> Room? {
        guard let total else {
            try requireSomeRoom()
            return nil
        }
        let (now, space) = try publicly { () throws(FileError) in
            (isFirst ? opened : try system.status(data), try system.space(data))
        }
        state.withLock { $0.isInMemory = space.inMemory }
        // The partial file's own blocks are freed when it is emptied.
        guard now.allocated >= total || space.available >= total - now.allocated else {
            throw DownloadError(
                .noSpace,
                "not enough disk space: \(names.partial) needs \(total) bytes, \(max(0, space.available) + now.allocated) are free: "
                    + "free some space, or choose another folder")
        }
        return Room(size: now.size, isInMemory: space.inMemory)
    }

    /// Checks that there is any space for a file of unknown size: on a full disk, the earlier data would be lost for
    /// nothing.
    private func requireSomeRoom() throws(DownloadError) {
        guard case .resumable = found, state.withLock({ $0.stage == .asFound }) else { return }
        let space = try publicly { () throws(FileError) in try system.space(data) }
        guard space.available <= 0 else { return }
        throw DownloadError(
            .noSpace, "not enough disk space at \(names.partial), and the download must start over: free some space")
    }

    /// Empties the partial file and extends it to its final size.
    private func makeRoom(_ total: Int64?, _ room: Room?, _ allocates: Bool) throws(DownloadError) {
        try publicly { () throws(FileError) in
            guard let total, let room else { return try system.truncate(data, size: 0) }
            if room.size > 0 { try system.truncate(data, size: 0) }
            guard total > Self.smallFileBytes else { return }
            // tmpfs would fill the space with zeros, which costs as much as the download.
            if room.isInMemory || !allocates { return try system.truncate(data, size: total) }
            do throws(FileError) {
                try system.allocate(data, size: total)
            } catch  where error.isUnsupported {
                try system.truncate(data, size: total)
            }
        }
    }

    /// Writes a journal under a temporary name and renames it once it is complete.
    ///
    /// If that fails, the previous journal is still in place and valid.
    func adopt(
        _ slots: [JournalSlot], total: Int64?,
        _ validators: (etag: String?, lastModified: String?, provenance: Provenance, describer: JournalDescriber),
        synced: Bool
    ) throws(DownloadError) -> [SegmentSlot] {
        var header = JournalHeader(
            nonce: .random(in: 0 ... .max), sourceID: sourceID(), totalBytes: total, etag: validators.etag,
            lastModified: validators.lastModified,
            bootID: system.bootID(), mountID: opened.mountID, partial: opened.identity)
        header.provenance = validators.provenance
        header.describer = validators.describer
        try requireOldJournal()
        let journal = try publicly { () throws(FileError) in
            try write(Journal(header: header, slots: slots), synced: synced)
        }
        return state.withLock { state in
            state.header = header
            state.journal = journal
            state.mark = nil
            state.stage = .begun
            state.hasUnsyncedNames = true
            state.slots = slots.enumerated().map { index, slot in
                SegmentSlot(slot, index: index, nonce: header.nonce, data: data, journal: journal)
            }
            return state.slots
        }
    }

    /// Replaces only a journal that was found: any other file in its place belongs to another program, and has appeared
    /// since.
    private func write(_ journal: Journal, synced: Bool) throws(FileError) -> OpenFile {
        let replaces = state.withLock { $0.hasOldJournal || $0.mark != nil }
        let file = try system.open(names.newJournal, .createEmpty)
        do {
            let bytes = journal.encoded()
            // Safe: a UInt8 has no padding.
            try system.write(file, unsafe bytes.span.bytes, at: 0)
            // A journal that replaces another one must be on disk first.
            if synced { try system.syncData(file) }
            if replaces {
                try system.rename(names.newJournal, to: names.journal)
            } else if try system.rename(names.newJournal, withoutReplacing: names.journal) {
                return try system.open(names.journal, .create)
            }
        } catch {
            try? system.unlink(names.newJournal)
            throw error
        }
        return OpenFile(takingOver: file, as: names.journal)
    }
}
