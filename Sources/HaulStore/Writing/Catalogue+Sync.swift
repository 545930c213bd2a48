import CHaulSystem
package import HaulCore
import HaulLibC
import Synchronization

/// The transactions that a power failure might lose.
extension Catalogue {
    /// True if a power failure now might lose transactions.
    package var hasUnsynced: Bool { isFile && transactions != synced.load(ordering: .relaxed) }

    /// Writes all transactions that were committed before the call to the disk.
    ///
    /// SQLite does so itself only when it moves the log into the file. Unlike any other call, this one may be made on
    /// another thread, and no other waits for it.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`; if the sync itself failed, nothing is written any more until
    ///   `rewrite` succeeds.
    package func sync() throws(DownloadError) {
        guard isFile else { return }
        let count = transactions
        // Without a log, all is in the file, and synced. The name of a new log is part of what must not be lost.
        for path in [name + "-wal", CatalogueFile.folder(of: name)] {
            let failure = takeSimulatedFailure() ?? syncFile(path)
            guard let failure, failure != .open(ENOENT) || path != name + "-wal" else { continue }
            if case .sync = failure { distrust() }
            throw failure.error("sync", name)
        }
        synced.store(count, ordering: .relaxed)
    }

    /// Returns true if the last process could neither sync a catalogue nor rewrite it.
    package static func isUnsynced(at path: String) -> Bool { CatalogueFile(path: path).isMarkedUnsynced }

    /// Returns the failure of a test, once.
    private func takeSimulatedFailure() -> SyncFailure? {
        failsSync.exchange(false, ordering: .sequentiallyConsistent) ? .sync(ENOSPC) : nil
    }
}

/// The reason why a file is not synced, with the `errno`.
enum SyncFailure: Hashable {
    /// It can't be opened; nothing was tried.
    case open(Int32)
    /// The sync failed: data may be lost.
    case sync(Int32)

    /// Returns the error.
    func error(_ verb: String, _ path: String) -> DownloadError {
        switch self {
        case .open(let code), .sync(let code): CatalogueFailure.system(code, verb, path)
        }
    }
}

/// Syncs a file or a folder, and returns the failure; nil if there was none.
func syncFile(_ path: String) -> SyncFailure? {
    // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .open(errno) }
    defer { close(descriptor) }
    return haul_sync_file(descriptor) == 0 ? nil : .sync(errno)
}
