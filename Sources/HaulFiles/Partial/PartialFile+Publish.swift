package import HaulCore
import HaulLibC
import Synchronization

extension PartialFile {
    /// Gives the complete file its final name (guarantees: no false success, final name last).
    ///
    /// All bytes must be written and verified. They are synced and renamed in one step, and the folder is synced; then
    /// the journal is removed and the file is closed. After the return, the file survives a power failure under the
    /// returned name.
    ///
    /// - Parameters:
    ///   - policy: The action if the name is taken by now. Only the regular file that had the name when the partial
    ///     file was opened is ever replaced, and only if it has not been changed since.
    ///   - modified: The modification time of the file, in seconds since 1970.
    ///   - total: The size that the file must have.
    ///   - candidate: The paths to try if the name is taken and the policy is `rename`, counted from 1, in the same
    ///     folder.
    /// - Throws: `DownloadError`: `destinationExists`, with all bytes kept in `NAME.part`; `fileFailed`; `internal` if
    ///   the recorded bytes don't reach from 0 to `total`.
    package func publish(
        policy: ConflictPolicy, modified: Int64?, total: Int64, candidate: (Int) -> String
    ) throws(DownloadError) -> String {
        try verify(total)
        try publicly { () throws(FileError) in
            // The date is a convenience: a file system without it does not invalidate the file.
            if let modified { try? system.setModified(data, seconds: modified) }
            try syncData(withDates: true)
        }
        state.withLock { $0.stage = .complete }
        let path: String
        do throws(DownloadError) {
            path = try settle(policy, candidate)
        } catch {
            // The bytes stay; the journal should record them as durable, so that they also survive a power failure.
            try? checkpoint()
            throw error
        }
        try publicly { () throws(FileError) in try makeNameDurable(path, policy) }
        removeStaleControls()
        finish()
        return path
    }

    /// Removes the control files of other programs that describe the replaced file, unless they have changed since.
    ///
    /// Only after the new name is durable: without its control file, the unfinished file would look complete after a
    /// power failure. A control file that can't be removed is left; it does no harm to the file.
    private func removeStaleControls() {
        for (path, seen) in state.withLock({ $0.staleControls }) {
            guard let now = (try? system.status(atPath: path)).flatMap(\.self), seen.describes(now) else { continue }
            try? system.unlink(path)
        }
    }

    /// Checks that every byte was recorded, that the size is right, and that `NAME.part` is still this very file.
    private func verify(_ total: Int64) throws(DownloadError) {
        let (slots, known, failure, isOver) = state.withLock {
            ($0.slots, $0.totalBytes, $0.syncFailure, $0.stage == .over)
        }
        if let failure { throw failure.downloadError }
        let segments = slots.map { ResumedSegment(start: $0.start, position: $0.written) }.sorted {
            $0.start < $1.start
        }
        let reach = Self.reach(from: 0, in: segments)
        guard !isOver, total == known ?? total, reach >= total else {
            throw DownloadError(
                .internal, "\(names.partial) is not complete: \(reach) of \(total) bytes are recorded")
        }
        // The inode number is not reused while the file is open, so one call checks both name and size.
        let now = try publicly { () throws(FileError) in try system.status(atPath: names.partial) }
        guard let now, now.isSameFile(as: opened), now.size == total || (known == nil && now.size > total) else {
            throw DownloadError(
                .fileFailed, "another program has changed \(names.partial): start the download again")
        }
        guard try publicly({ () throws(FileError) in try hasOwnJournal() }) else { throw Self.busy(names) }
        if now.size > total { try publicly { () throws(FileError) in try system.truncate(data, size: total) } }
    }

    /// Returns true if the journal, or the mark in its place, is still this run's.
    ///
    /// If locks are not shared (one folder under two mounts, or on two machines), another download may have put its
    /// own there and be writing to the same file.
    private func hasOwnJournal() throws(FileError) -> Bool {
        guard let journal = state.withLock({ $0.journal ?? $0.mark }) else { return true }
        guard let named = try system.status(atPath: names.journal), try !named.isSameFile(as: system.status(journal))
        else { return true }
        return try Self.isForeignJournal(names.journal, named, system)
    }

    /// Moves the partial file to its name, or to the next free one.
    private func settle(_ policy: ConflictPolicy, _ candidate: (Int) -> String) throws(DownloadError) -> String {
        switch policy {
        case .replace, .keep:
            if try !replace() { break }
            return names.final
        case .fail, .skip:
            if try moveWithoutReplacing(to: names.final) { return names.final }
        case .rename:
            if try moveWithoutReplacing(to: names.final) { return names.final }
            for number in 1..<10_000 {
                let path = candidate(number)
                if try moveWithoutReplacing(to: path) { return path }
            }
        }
        throw DownloadError(
            .destinationExists,
            "file exists: \(names.final); the data is kept in \(names.partial)"
        )
    }

    /// Replaces the file that may be replaced, or takes the free name.
    ///
    /// Between the check and the rename is a gap that no system call closes.
    ///
    /// - Returns: True if the file has its name; false if something else has just taken it.
    private func replace() throws(DownloadError) -> Bool {
        let there = try publicly { () throws(FileError) in try system.status(atPath: names.final) }
        guard let there else { return try moveWithoutReplacing(to: names.final) }
        guard there.kind == .regular else {
            throw DownloadError(
                .destinationExists,
                "\(names.final) is a \(there.kind.rawValue), not a regular file, and is not replaced: "
                    + "choose another name; the data is kept in \(names.partial)")
        }
        let isOwn = there.isSameFile(as: opened)
        guard isOwn || replaceable?.describes(there) == true else {
            throw DownloadError(
                .destinationExists,
                "\(names.final) was created or changed during the download and is not replaced: move it away, or choose "
                    + "another name; the data is kept in \(names.partial)")
        }
        try publicly { () throws(FileError) in
            try system.rename(names.partial, to: names.final)
            // rename(2) between two names of the same file does nothing.
            if isOwn { try system.unlink(names.partial) }
        }
        if !isOwn, let replaceable { state.withLock { $0.staleControls = replaceable.controls } }
        return true
    }

    /// Renames the partial file; returns false if the name is taken.
    func moveWithoutReplacing(to path: String) throws(DownloadError) -> Bool {
        do throws(FileError) {
            try system.rename(names.partial, withoutReplacing: path)
            return true
        } catch {
            if error.code == EEXIST { return false }
            throw error.downloadError
        }
    }

    /// Syncs the folder, and that of the partial file if it is another one.
    ///
    /// If that fails, the publication fails, and the rename is undone unless it replaced a file.
    private func makeNameDurable(_ path: String, _ policy: ConflictPolicy) throws(FileError) {
        do {
            // The new name first: a power failure between the two leaves two names, which the next run resolves, never
            // none.
            try system.syncFolder(names.folder)
            if names.dataFolder != names.folder { try system.syncFolder(names.dataFolder) }
        } catch {
            switch policy {
            case .fail, .rename, .skip:
                if (try? system.rename(path, withoutReplacing: names.partial)) == nil { finish() }
            case .replace, .keep:
                finish()
            }
            throw error
        }
    }

    /// Removes the journal and closes the files.
    private func finish() {
        state.withLock { $0.stage = .over }
        removeOwnJournal()
        close()
    }
}
