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
    /// - Throws: `DownloadError` with code `catalogueFailed`; try again later.
    package func sync() throws(DownloadError) {
        guard isFile else { return }
        let count = transactions
        // Without a log, all is in the file, and synced.
        if let code = syncFile(name + "-wal"), code != ENOENT { throw CatalogueFailure.system(code, "sync", name) }
        // The name of a new log is part of what must not be lost.
        let folder = name.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(name[...$0]) } ?? "."
        if let code = syncFile(folder) { throw CatalogueFailure.system(code, "sync", name) }
        synced.store(count, ordering: .relaxed)
    }
}

/// Syncs a file or a folder, and returns the error; nil if there was none.
func syncFile(_ path: String) -> Int32? {
    // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return haul_sync_file(descriptor) == 0 ? nil : errno
}
