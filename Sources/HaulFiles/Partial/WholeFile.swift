import HaulLibC

/// A small file that comes whole: it has no name until its bytes are there and synced.
///
/// The same guarantees as those of a partial (no false success, final name last, one writer), with half the calls: until it has its name
/// nobody sees it, so there is nothing to lock, to look after or to clear away, and a process that is killed leaves nothing behind.
package struct WholeFile: Sendable {
    /// The folder that it is made in.
    package let folder: String
    /// Whether the file system keeps files in memory only: nothing there waits for a medium.
    package let isInMemory: Bool
    private let file: OpenFile
    private let system: SystemCalls

    /// Makes an empty one.
    ///
    /// - Throws: `FileError`: the folder is not there or not for this user, or the system can't do without a name.
    package init(inFolder folder: String, system: SystemCalls = .live) throws(FileError) {
        self.folder = folder
        self.system = system
        file = try system.openNameless(inFolder: folder)
        isInMemory = try system.space(file).inMemory
    }

    /// Writes the bytes, into memory as far as the kernel has any for them.
    ///
    /// - Parameter modified: The date to give the file, in seconds since 1970.
    package func write(_ bytes: [UInt8], modified: Int64?) throws(FileError) {
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        try system.write(file, unsafe bytes.span.bytes, at: 0)
        // The date is a convenience: a file system that has none does not spoil the file.
        if let modified { try? system.setModified(file, seconds: modified) }
    }

    /// Gives the file its name: when it returns, the file survives a power cut under it.
    ///
    /// In this order, as for a partial: the bytes are synced, the name is taken, the folder is synced. Nothing in memory survives a power cut,
    /// so there it waits for nothing.
    ///
    /// - Parameter path: A path in the folder.
    /// - Returns: the file; nil if something has the name.
    /// - Throws: `FileError`; then it has no name.
    package func publish(as path: String) throws(FileError) -> FileStatus? {
        if !isInMemory { try system.sync(file) }
        let status = try system.status(file)
        do {
            try system.name(file, path)
        } catch  where error.code == EEXIST {
            return nil
        }
        guard !isInMemory else { return status }
        do throws(FileError) {
            try system.syncFolder(folder)
        } catch {
            try? system.unlink(path)
            throw error
        }
        return status
    }
}
