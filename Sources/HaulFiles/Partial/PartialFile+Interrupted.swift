/// The end of a process that had bytes which no checkpoint had made durable.
extension PartialFile {
    /// Reduces the journal of a killed process to the bytes that are on disk.
    ///
    /// If the disk refuses bytes, the kernel reports it once: to the killed process, if it was syncing, or to another program that
    /// synced the file. Later syncs succeed. So bytes written since the last checkpoint count only if the disk has them. If the system
    /// can't tell, they count unless the process was killed during a sync.
    ///
    /// They are synced first: what is dirty can't be compared on every file system, and an error of this sync is old news to the disk.
    ///
    /// The blocks of bytes that don't count are given back, as after a sync that failed: see `distrust`.
    static func settle(_ bytes: [UInt8], _ data: OpenFile, _ names: PartialNames) throws(FileError) {
        guard let before = try? Journal(decoding: bytes) else { return }
        // Without a disk, nothing is refused.
        let isInMemory = (try? data.system.space(data))?.inMemory ?? false
        let isSynced = isInMemory || (try? data.system.syncData(data)) != nil
        var journal = before
        var canTell = !isInMemory
        try journal.settle { range throws(FileError) in
            if isInMemory { return [range] }
            if let parts = try data.system.partsOnDisk(data, in: range) { return parts }
            canTell = false
            return before.header.isSyncing || !isSynced ? [] : [range]
        }
        let segments = journal.segments(.written)
        let isRefused = (canTell || !isSynced) && segments != before.segments(.written)
        if canTell {
            // What was compared has left the cache: after another kill, the journal must know it.
            try data.system.syncData(data)
            journal.makeDurable()
        }
        guard journal != before else { return }
        let status = try data.system.status(data)
        if try !giveBack(data, outside: segments), isRefused {
            journal.limit(to: prefix(of: segments))
            var marked = journal
            marked.header.isSyncing = true
            try marked.replace(in: names, data.system)
            try cut(data, to: segments, size: status.size)
        }
        // Space that was reserved is reserved again; without it, the download needs it later.
        if status.allocated >= status.size { try? data.system.allocate(data, size: status.size) }
        // Last: a journal without the mark is believed if the system can't tell.
        try journal.replace(in: names, data.system)
    }

    /// Gives the blocks of a file outside some segments back.
    ///
    /// - Returns: False if the file system can't (FAT, NFS, file systems in user space), or if that is not enough (ext2).
    static func giveBack(_ data: OpenFile, outside segments: [ResumedSegment]) throws(FileError) -> Bool {
        for gap in gaps(between: segments, in: try data.system.status(data).size) {
            guard try data.system.punch(data, at: gap.lowerBound, count: Int64(gap.count)) else { return false }
        }
        return true
    }

    /// Gives all blocks behind the first gap between segments back, by making the file shorter for a moment.
    ///
    /// The journal must not say by now that there are bytes.
    static func cut(_ data: OpenFile, to segments: [ResumedSegment], size: Int64) throws(FileError) {
        try data.system.truncate(data, size: min(prefix(of: segments), size))
        try data.system.truncate(data, size: size)
    }

    /// Returns the offset of the first gap between segments.
    static func prefix(of segments: [ResumedSegment]) -> Int64 {
        reach(from: 0, in: segments.sorted { $0.start < $1.start })
    }
}
