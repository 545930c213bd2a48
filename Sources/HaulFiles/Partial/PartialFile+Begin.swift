package import HaulCore
import Synchronization

extension PartialFile {
    /// Starts over: empties the partial, sets room aside and begins a new journal.
    ///
    /// A file of at most `smallFileBytes`, or one that is not resumed, gets an empty file in the journal's place, which says that the
    /// partial is Haul's. May be called again when the source turns out to have changed; slots handed out before are dead then.
    ///
    /// What was found is given up only after there is room for the file and its journal: if this throws before, all of it can still be
    /// resumed.
    ///
    /// - Parameters:
    ///   - total: The size of the finished file, or nil where it is not known.
    ///   - provenance: How the bytes will come together: the validators are those of the main source.
    ///   - canContinue: Whether the source can send the rest of a file alone; otherwise there is no journal.
    ///   - allocates: Whether room for the whole file is set aside now.
    ///   - segments: Where each segment starts; the first one at 0.
    /// - Returns: A slot for each segment.
    /// - Throws: `DownloadError`: `noSpace` where the disk has too little room, with what is needed and what is free;
    ///   `fileFailed`.
    package func begin(
        total: Int64?, etag: String?, lastModified: String?, provenance: Provenance = .oneSource,
        canContinue: Bool = true, allocates: Bool = true,
        segments: [Int64] = [0]
    ) throws(DownloadError) -> [SegmentSlot] {
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
        let made = try adopt(slots, total: total, (etag, lastModified, provenance), synced: hasOld)
        // Were the old journal back after a power cut, it would call the new bytes the old ones.
        if hasOld { try publicly { () throws(FileError) in try system.syncFolder(names.partialFolder) } }
        try makeRoom(total, room, allocates)
        return made
    }

    /// Continues with what was found or, if the size has become known meanwhile, with what this run has written.
    ///
    /// The new journal says of nothing that it is more than was found.
    ///
    /// The new journal takes the old one's place at once or not at all, and the old one stays true as long as it is
    /// there: the bytes that it speaks of are not touched.
    ///
    /// - Parameter segments: The segments to go on with, of those that were found; they may begin elsewhere or hold
    ///   less. A position beyond what was found is taken back.
    /// - Returns: A slot for each segment; its `written` is where the segment really goes on.
    /// - Throws: `DownloadError`: `noSpace`, `fileFailed`; `internal` where nothing was found.
    package func resume(
        total: Int64?, etag: String?, lastModified: String?, provenance: Provenance = .oneSource,
        segments: [ResumedSegment]
    ) throws(DownloadError) -> [SegmentSlot] {
        guard let there = there() else {
            throw DownloadError(.internal, "\(names.partial) cannot be resumed")
        }
        let end = total ?? .max
        let slots = segments.filter { $0.start < end || $0.start == 0 }.map { segment in
            let reach = min(end, segment.position, Self.reach(from: segment.start, in: there.written))
            let written = max(segment.start, reach)
            let durable = min(written, Self.reach(from: segment.start, in: there.durable))
            return JournalSlot(start: segment.start, written: written, durable: durable)
        }
        state.withLock { $0.totalBytes = total }
        let size = try publicly { () throws(FileError) in try system.status(data).size }
        // A journal that knows the size calls a shorter file cut, one that does not calls a longer one good.
        if let total, total > size {
            try publicly { () throws(FileError) in try system.truncate(data, size: total) }
        }
        let made =
            if resumes {
                try adopt(
                    slots, total: total, (etag, lastModified, max(provenance, there.provenance)),
                    synced: true)
            } else {
                keepWithoutJournal(slots)
            }
        if let total, total < size {
            try publicly { () throws(FileError) in try system.truncate(data, size: total) }
        }
        return made
    }

    /// What the partial holds, and how much of it is on the medium.
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
            // After a sync that failed, nobody knows what is in the kernel's cache.
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

    /// Puts an empty file in the journal's place, for good before the bytes that an old journal speaks of are destroyed: were it back
    /// after a power cut, it would call the new bytes the old ones.
    private func putMark() throws(FileError) {
        let (hasOld, hasMark) = state.withLock { ($0.hasOldJournal, $0.mark != nil) }
        let mark = try system.open(names.journal, hasOld || hasMark ? .createEmpty : .createNew)
        if hasOld {
            try system.syncData(mark)
            try system.syncFolder(names.partialFolder)
        }
        state.withLock { state in
            (state.slots, state.journal, state.header) = ([], nil, nil)
            state.mark = mark
            state.stage = .begun
        }
    }

    /// Makes sure that the journal that is going to be replaced is the one that was found, or this run's: where locks are not shared, another
    /// download may have put its own there since.
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

    /// What is known of the disk and of the partial before it is emptied.
    private struct Room {
        var size: Int64
        var isInMemory: Bool
    }

    /// Looks whether there is room for the whole file; nil where its size is not known.
    ///
    /// The first time the partial is as it was when it was opened: the lock keeps others away.
    private func findRoom(_ total: Int64?, isFirst: Bool) throws(DownloadError) -> Room? {
        guard let total else {
            try requireSomeRoom()
            return nil
        }
        let (now, space) = try publicly { () throws(FileError) in
            (isFirst ? opened : try system.status(data), try system.space(data))
        }
        state.withLock { $0.isInMemory = space.inMemory }
        // What the partial itself takes is given back when it is emptied.
        guard now.allocated >= total || space.available >= total - now.allocated else {
            throw DownloadError(
                .noSpace,
                "not enough disk space: \(names.partial) needs \(total) bytes, \(max(0, space.available) + now.allocated) are free: "
                    + "free some space, or choose another folder")
        }
        return Room(size: now.size, isInMemory: space.inMemory)
    }

    /// Looks whether a file of unknown size has any room at all: on a full disk, what was found would go and nothing would come.
    private func requireSomeRoom() throws(DownloadError) {
        guard case .resumable = found, state.withLock({ $0.stage == .asFound }) else { return }
        let space = try publicly { () throws(FileError) in try system.space(data) }
        guard space.available <= 0 else { return }
        throw DownloadError(
            .noSpace, "not enough disk space at \(names.partial), and the download must start over: free some space")
    }

    /// Empties the partial and makes it as long as it will be.
    private func makeRoom(_ total: Int64?, _ room: Room?, _ allocates: Bool) throws(DownloadError) {
        try publicly { () throws(FileError) in
            guard let total, let room else { return try system.truncate(data, size: 0) }
            if room.size > 0 { try system.truncate(data, size: 0) }
            guard total > Self.smallFileBytes else { return }
            // tmpfs would fill the room with zeros, which costs as much as the download.
            if room.isInMemory || !allocates { return try system.truncate(data, size: total) }
            do throws(FileError) {
                try system.allocate(data, size: total)
            } catch  where error.isUnsupported {
                try system.truncate(data, size: total)
            }
        }
    }

    /// Writes a journal under another name and gives it its own name when it is whole.
    ///
    /// If that fails, the journal that was there is still in its place and still true.
    func adopt(
        _ slots: [JournalSlot], total: Int64?,
        _ validators: (etag: String?, lastModified: String?, provenance: Provenance), synced: Bool
    ) throws(DownloadError) -> [SegmentSlot] {
        var header = JournalHeader(
            nonce: .random(in: 0 ... .max), sourceID: sourceID(), totalBytes: total, etag: validators.etag,
            lastModified: validators.lastModified,
            bootID: system.bootID(), mountID: opened.mountID, partial: opened.identity)
        header.provenance = validators.provenance
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

    /// Only a journal that was found is replaced: another file in its place is another program's, and has appeared since.
    private func write(_ journal: Journal, synced: Bool) throws(FileError) -> OpenFile {
        let replaces = state.withLock { $0.hasOldJournal || $0.mark != nil }
        let file = try system.open(names.newJournal, .createEmpty)
        do {
            let bytes = journal.encoded()
            // Safe: a UInt8 has no padding.
            try system.write(file, unsafe bytes.span.bytes, at: 0)
            // If it takes the place of another one, it must be on the medium first.
            if synced { try system.syncData(file) }
            if replaces {
                try system.rename(names.newJournal, to: names.journal)
            } else {
                try rename(names.newJournal, withoutReplacing: names.journal)
            }
        } catch {
            try? system.unlink(names.newJournal)
            throw error
        }
        return OpenFile(takingOver: file, as: names.journal)
    }
}
