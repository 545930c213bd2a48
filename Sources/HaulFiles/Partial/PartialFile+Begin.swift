package import HaulCore
import Synchronization

extension PartialFile {
    /// Starts over: empties the partial, sets room aside and begins a new journal.
    ///
    /// A file of at most `smallFileBytes`, or one that is not resumed, gets no journal; a larger one that is not resumed gets an empty
    /// file in its place, which says that the partial is Haul's. May be called again when the source turns out to have changed; slots
    /// handed out before are dead then.
    ///
    /// - Parameters:
    ///   - total: The size of the finished file, or nil where it is not known.
    ///   - ofSeveralSources: Whether the validators are those of only one of the sources that may bring bytes.
    ///   - segments: Where each segment starts; the first one at 0.
    /// - Returns: A slot for each segment.
    /// - Throws: `DownloadError`: `noSpace` where the disk has too little room, with what is needed and what is free;
    ///   `fileFailed`.
    package func begin(
        total: Int64?, etag: String?, lastModified: String?, ofSeveralSources: Bool = false, segments: [Int64] = [0]
    ) throws(DownloadError) -> [SegmentSlot] {
        let total = total.map { max(0, $0) }
        let isFirst = try state.withLock { state throws(DownloadError) in
            defer { state.hasBegun = true }
            state.slots = []
            state.journal = nil
            state.mark = nil
            state.header = nil
            state.totalBytes = total
            state.isComplete = false
            try publicly { () throws(FileError) in try forgetJournal(&state) }
            return !state.hasBegun
        }
        let room = try findRoom(total, isFirst: isFirst)
        guard total.map({ $0 > Self.smallFileBytes }) ?? true else {
            try makeRoom(total, room)
            return segments.map(addSegment)
        }
        // Before there is room: a file of this length without a journal would be taken for another program's.
        if resumes {
            let slots = segments.map { JournalSlot(start: $0, written: $0, durable: $0) }
            let validators = (etag, lastModified, ofSeveralSources)
            let made = try adopt(slots, total: total, validators, synced: false)
            try makeRoom(total, room)
            return made
        }
        let mark = try publicly { () throws(FileError) in try system.open(names.journal, .createEmpty) }
        state.withLock { $0.mark = mark }
        try makeRoom(total, room)
        return segments.map(addSegment)
    }

    /// Goes on with what was found: writes a new journal in which nothing counts for more than it was found to be.
    ///
    /// The new journal takes the old one's place at once or not at all, and the old one stays true as long as it is
    /// there: the bytes that it speaks of are not touched.
    ///
    /// - Parameter segments: The segments to go on with, of those that were found; they may begin elsewhere or hold
    ///   less. A position beyond what was found is taken back.
    /// - Returns: A slot for each segment; its `written` is where the segment really goes on.
    /// - Throws: `DownloadError`: `noSpace`, `fileFailed`; `internal` where nothing was found.
    package func resume(
        total: Int64?, etag: String?, lastModified: String?, ofSeveralSources: Bool = false, segments: [ResumedSegment]
    ) throws(DownloadError) -> [SegmentSlot] {
        guard case .resumable(let known) = found else {
            throw DownloadError(.internal, "there is nothing in \(names.partial) that could be gone on with")
        }
        let end = total ?? .max
        let slots = segments.filter { $0.start < end || $0.start == 0 }.map { segment in
            let there = min(end, segment.position, Self.reach(from: segment.start, in: known.segments))
            let written = max(segment.start, there)
            let durable = min(written, Self.reach(from: segment.start, in: self.durable))
            return JournalSlot(start: segment.start, written: written, durable: durable)
        }
        state.withLock { state in
            state.totalBytes = total
            state.hasBegun = true
        }
        if let total, total != opened.size {
            try publicly { () throws(FileError) in try system.truncate(data, size: total) }
        }
        let isOfSeveral = ofSeveralSources || known.isOfSeveralSources
        return try adopt(slots, total: total, (etag, lastModified, isOfSeveral), synced: true)
    }

    /// Takes the old journal away for good before the bytes that it speaks of are destroyed: were it back after a power
    /// cut, it would call the new bytes the old ones.
    private func forgetJournal(_ state: inout State) throws(FileError) {
        switch state.oldJournal {
        case .none: return
        case .inPlace:
            if case .unusable = found, !state.hasSetAside {
                state.hasSetAside = true
                try system.rename(names.journal, to: names.badJournal)
            } else {
                try system.unlink(names.journal)
            }
        case .setAside: break
        }
        state.oldJournal = .setAside
        try system.syncFolder(names.partialFolder)
        state.oldJournal = .none
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
        guard let total else { return nil }
        let (now, space) = try publicly { () throws(FileError) in
            (isFirst ? opened : try system.status(data), try system.space(data))
        }
        state.withLock { $0.isInMemory = space.inMemory }
        // What the partial itself takes is given back when it is emptied.
        guard now.allocated >= total || space.available >= total - now.allocated else {
            throw DownloadError(
                .noSpace,
                "\(names.partial) needs \(total) bytes and only \(max(0, space.available) + now.allocated) are free: "
                    + "make room, or choose another folder")
        }
        return Room(size: now.size, isInMemory: space.inMemory)
    }

    /// Empties the partial and makes it as long as it will be.
    private func makeRoom(_ total: Int64?, _ room: Room?) throws(DownloadError) {
        try publicly { () throws(FileError) in
            guard let total, let room else { return try system.truncate(data, size: 0) }
            if room.size > 0 { try system.truncate(data, size: 0) }
            guard total > Self.smallFileBytes else { return }
            // tmpfs would fill the room with zeros, which costs as much as the download.
            if room.isInMemory { return try system.truncate(data, size: total) }
            do throws(FileError) {
                try system.allocate(data, size: total)
            } catch  where error.isUnsupported {
                try system.truncate(data, size: total)
            }
        }
    }

    /// Writes a journal under another name and gives it its own name when it is whole.
    func adopt(
        _ slots: [JournalSlot], total: Int64?,
        _ validators: (etag: String?, lastModified: String?, areOfOneOfSeveral: Bool), synced: Bool
    ) throws(DownloadError) -> [SegmentSlot] {
        var header = JournalHeader(
            nonce: .random(in: 0 ... .max), sourceID: sourceID(), totalBytes: total, etag: validators.etag,
            lastModified: validators.lastModified,
            bootID: system.bootID(), mountID: opened.mountID, partial: opened.identity)
        header.isOfSeveralSources = validators.areOfOneOfSeveral
        let journal = try publicly { () throws(FileError) in
            let file = try system.open(names.newJournal, .createEmpty)
            let bytes = Journal(header: header, slots: slots).encoded()
            // Safe: a UInt8 has no padding.
            try system.write(file, unsafe bytes.span.bytes, at: 0)
            // Where it takes the place of a good journal, it must be on the medium first. Without one there is nothing
            // to lose.
            if synced { try system.syncData(file) }
            try system.rename(names.newJournal, to: names.journal)
            return OpenFile(takingOver: file, as: names.journal)
        }
        return state.withLock { state in
            state.header = header
            state.journal = journal
            state.oldJournal = .inPlace
            state.hasUnsyncedNames = true
            state.slots = slots.enumerated().map { index, slot in
                SegmentSlot(slot, index: index, nonce: header.nonce, data: data, journal: journal)
            }
            return state.slots
        }
    }
}
