package import HaulCore

extension PartialFile {
    /// Completes a publication by an earlier session that was killed before it could report it: `final` is the inode
    /// that was its partial file.
    ///
    /// An inode gets the final name only after all bytes were written, verified and synced. Inode numbers are reused,
    /// so the birth time must be equal; on a file system without birth times, only a remaining journal proves that it
    /// is the file. The remains are then removed: the journal (killed before its removal), or the second name of the
    /// partial file (killed between link and unlink). The lock is held meanwhile, so no other download's files are
    /// affected.
    ///
    /// - Parameter size: The recorded size; if nil, only a remaining journal proves that the file is complete.
    /// - Returns: The size of the complete file, or nil if it was not published; then nothing has changed.
    /// - Throws: `DownloadError`: `destinationBusy` if another process is writing a partial file there, `fileFailed`.
    package static func finishPublished(
        _ published: FileIdentity, size: Int64?, _ names: PartialNames, system: SystemCalls = .live
    ) throws(DownloadError) -> Int64? {
        let there = try publicly { () throws(FileError) in try system.status(atPath: names.final) }
        guard let there, there.kind == .regular, there.file == published, size ?? there.size == there.size else {
            return nil
        }
        // The lock needs a file; `close` removes it if it is new.
        let partial = try open(names, sourceID: "", resumes: true, system: system)
        defer { partial.close() }
        let isLeftOver = try publicly { () throws(FileError) in
            guard partial.opened.size == 0 else { return false }
            switch try readJournal(names.journal, system) {
            case .absent: return size != nil && published.born != nil
            case .unreadable: return false
            // The mark of a partial file that is not resumed.
            case .bytes([]): return size != nil && published.born != nil
            case .bytes(let bytes): return isJournal(bytes, of: there)
            }
        }
        guard isLeftOver else { return nil }
        try publicly { () throws(FileError) in try system.syncFolder(names.folder) }
        try partial.discard()
        return there.size
    }

    /// Removes the journal that a process left if it was killed right after renaming the file.
    ///
    /// Only a journal that describes the file at `final` is removed; one whose partial file was merely moved away
    /// stays. Nothing is removed while another process uses it.
    package static func removeLeftovers(_ names: PartialNames, system: SystemCalls = .live) {
        // This is only cleanup, so failures are ignored.
        guard let isPartial = try? system.status(atPath: names.partial) != nil, !isPartial,
            let file = try? system.status(atPath: names.final), file.kind == .regular,
            hasLeftovers(names, of: file, system),
            // The lock needs a file, which is removed with the journal.
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

    /// Returns true if a journal describes this file as complete.
    private static func isJournal(_ bytes: [UInt8], of file: FileStatus) -> Bool {
        guard let journal = try? Journal(decoding: bytes), journal.header.partial == file.identity else { return false }
        return journal.header.totalBytes.map { $0 == file.size }
            ?? (reach(from: 0, in: journal.segments(.written)) == file.size)
    }
}
