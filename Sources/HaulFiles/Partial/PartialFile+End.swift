package import HaulCore
import Synchronization

extension PartialFile {
    /// Closes the files and keeps what can be resumed.
    ///
    /// Call `checkpoint` first, so that a power failure loses nothing.
    ///
    /// A partial file that can't be resumed (empty, or without a journal) is removed, so that a download that ends
    /// before it has begun leaves nothing behind. Data from an earlier session is never removed.
    package func close() {
        let isEmpty = opened.size == 0 && hasNoJournal
        let isLitter = state.withLock { state in
            switch state.stage {
            case .asFound: isEmpty
            case .begun: state.journal == nil || state.slots.allSatisfy { $0.written == $0.start }
            case .complete, .over: false
            }
        }
        // The lock keeps other downloads away, but not the user: the name may belong to another file by now. The
        // journal is removed last: a partial file without one, as a kill in between would leave it, could not be
        // recognized as Haul's.
        if isLitter {
            try? removeOwnPartial()
            removeOwnJournal()
        }
        letGo()
    }

    /// Removes the journal that this run has made, unless its name belongs to another file by now.
    ///
    /// As soon as the partial file has its final name, another download may start one of the old name and put its
    /// journal there.
    func removeOwnJournal() {
        guard let journal = state.withLock({ $0.journal ?? $0.mark }), let own = try? system.status(journal),
            let named = try? system.status(atPath: names.journal), named.isSameFile(as: own)
        else { return }
        try? system.unlink(names.journal)
    }

    /// True if there is no journal: another run that has just published its file may have removed it meanwhile.
    private var hasNoJournal: Bool {
        if state.withLock({ !$0.hasOldJournal && $0.mark == nil }) { return true }
        do throws(FileError) {
            return try system.status(atPath: names.journal) == nil
        } catch {
            return false
        }
    }

    /// Removes the partial file and its journal.
    ///
    /// - Parameter all: True if a journal left half-written by a killed process is removed as well.
    /// - Throws: `DownloadError` with `fileFailed` if one of them can't be removed; both are closed nevertheless.
    package func discard(all: Bool = false) throws(DownloadError) {
        let isOver = state.withLock { $0.stage == .over }
        defer { letGo() }
        guard !isOver else { return }
        // The order is explained in `close`.
        try publicly { () throws(FileError) in
            try removeOwnPartial()
            if state.withLock({ $0.journal ?? $0.mark }) != nil {
                removeOwnJournal()
            } else if !hasNoJournal {
                try system.unlink(names.journal)
            }
            if all { try system.unlink(names.newJournal) }
        }
    }

    /// Removes the partial file, unless another program has put its own file there meanwhile.
    private func removeOwnPartial() throws(FileError) {
        guard let named = try system.status(atPath: names.partial), named.isSameFile(as: opened) else { return }
        try system.unlink(names.partial)
    }

    /// The disk space that is missing for the whole file, beyond what the partial file already occupies; nil if
    /// unknown.
    package var missingRoom: MissingRoom? {
        guard let total = state.withLock({ $0.totalBytes }), let now = try? system.status(data),
            let space = try? system.space(data)
        else { return nil }
        let needed = max(1, total - now.allocated)
        // Others may have freed space since; it was missing nevertheless.
        return MissingRoom(missing: max(1, needed - max(0, space.available)), needed: needed)
    }

    func letGo() {
        let (journal, mark) = state.withLock { state in
            state.stage = .over
            return (state.journal, state.mark)
        }
        journal?.close()
        mark?.close()
        data.close()
    }
}

/// The disk space that a file lacked.
package struct MissingRoom: Sendable, Hashable {
    /// The number of missing bytes, at least one.
    package var missing: Int64
    /// The number of bytes that must be free for the rest of the file: the missing ones and those that were free.
    package var needed: Int64

    /// Makes a value.
    package init(missing: Int64, needed: Int64) {
        self.missing = missing
        self.needed = needed
    }

    /// The value if the amount is unknown: at least one byte.
    package static let unknown = MissingRoom(missing: 1, needed: 1)
}
