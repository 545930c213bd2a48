/// A sync during which the process was killed.
extension PartialFile {
    /// Reduces a journal that says that a sync is running to the bytes that are on disk.
    ///
    /// If that sync fails, the kernel reports it to the killed process only, and later syncs succeed. So bytes written since the last
    /// checkpoint count only if the page cache still has them and the disk has the same.
    ///
    /// All other blocks are given back, as after a sync that failed: see `distrust`. That comes first: a journal without the mark is
    /// believed.
    static func settleInterruptedSync(
        _ bytes: [UInt8], _ data: OpenFile, _ names: PartialNames
    ) throws(FileError) {
        guard var journal = try? Journal(decoding: bytes) else { return }
        try journal.settleSync { range throws(FileError) in try data.system.partsOnDisk(data, in: range) }
        let before = try data.system.status(data)
        _ = try giveBack(data, outside: journal.segments(.written))
        // Space that was reserved is reserved again; without it, the download needs it later.
        if before.allocated >= before.size { try? data.system.allocate(data, size: before.size) }
        try journal.replace(in: names, data.system)
    }

    /// Gives the blocks of a file outside some segments back.
    ///
    /// - Returns: False if the file system can't (FAT, NFS, file systems in user space).
    static func giveBack(_ data: OpenFile, outside segments: [ResumedSegment]) throws(FileError) -> Bool {
        for gap in gaps(between: segments, in: try data.system.status(data).size) {
            guard try data.system.punch(data, at: gap.lowerBound, count: Int64(gap.count)) else { return false }
        }
        return true
    }
}
