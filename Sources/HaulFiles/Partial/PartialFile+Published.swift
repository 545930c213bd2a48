package import HaulCore

extension PartialFile {
    /// Whether an earlier session published the file and was cut off before it could say so: `final` is the inode that was its partial.
    ///
    /// An inode gets the final name only after all bytes were there, verified and synced. Numbers of inodes are given again: the time of
    /// its birth must be the same; on a file system that does not keep it, only a journal that was left shows that it is the file.
    /// Then what the cut left is removed: the journal (the cut came before its removal), the second name of the partial (it came
    /// between link and unlink). The lock is held meanwhile, so nobody else's files are meant.
    ///
    /// - Parameter size: The size that was recorded; nil: only a journal that was left says that the file is complete.
    /// - Returns: the size of the finished file, or nil where it was not published; then nothing has changed.
    /// - Throws: `DownloadError`: `destinationBusy` where another process is writing a partial there, `fileFailed`.
    package static func finishPublished(
        _ published: FileIdentity, size: Int64?, _ names: PartialNames, system: SystemCalls = .live
    ) throws(DownloadError) -> Int64? {
        let there = try publicly { () throws(FileError) in try system.status(atPath: names.final) }
        guard let there, there.kind == .regular, there.file == published, size ?? there.size == there.size else {
            return nil
        }
        // The lock needs a file; `close` removes it again where it is new.
        let partial = try open(names, sourceID: "", resumes: true, system: system)
        defer { partial.close() }
        let isLeftOver = try publicly { () throws(FileError) in
            guard partial.opened.size == 0 else { return false }
            switch try readJournal(names.journal, system) {
            case .absent: return size != nil && published.born != nil
            case .unreadable: return false
            // The mark of a partial that is not resumed.
            case .bytes([]): return size != nil && published.born != nil
            case .bytes(let bytes): return isJournal(bytes, of: there)
            }
        }
        guard isLeftOver else { return nil }
        try publicly { () throws(FileError) in try system.syncFolder(names.folder) }
        try partial.discard()
        return there.size
    }

    /// Removes the journal that a process left beside a file if it was killed right after it had given that file its name.
    ///
    /// Only a journal that describes the file at `final` goes; one whose partial has merely been moved away stays. Nothing is removed
    /// while another process works there.
    package static func removeLeftovers(_ names: PartialNames, system: SystemCalls = .live) {
        // It is a matter of tidiness: whatever fails here is not worth an error.
        guard let isPartial = try? system.status(atPath: names.partial) != nil, !isPartial,
            let file = try? system.status(atPath: names.final), file.kind == .regular,
            hasLeftovers(names, of: file, system),
            // The lock needs a file, which goes with the leftovers.
            let partial = try? open(names, sourceID: "", resumes: true, system: system)
        else { return }
        guard partial.opened.size == 0, hasLeftovers(names, of: file, system) else { return partial.close() }
        try? partial.discard(all: true)
    }

    private static func hasLeftovers(_ names: PartialNames, of file: FileStatus, _ system: SystemCalls) -> Bool {
        switch try? readJournal(names.journal, system) {
        case .bytes(let bytes): bytes.isEmpty || isJournal(bytes, of: file)
        case .absent, .unreadable, nil: false
        }
    }

    /// Whether a journal speaks of this file when it was complete.
    private static func isJournal(_ bytes: [UInt8], of file: FileStatus) -> Bool {
        guard let journal = try? Journal(decoding: bytes), journal.header.partial == file.identity else { return false }
        return journal.header.totalBytes.map { $0 == file.size }
            ?? (reach(from: 0, in: journal.segments(.written)) == file.size)
    }
}
