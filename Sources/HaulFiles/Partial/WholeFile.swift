package import HaulCore
import HaulLibC

/// A small file that is downloaded whole: it has no name until its bytes are written and synced.
///
/// Gives the same guarantees as a partial file (no false success, final name last, one writer) with half the system
/// calls: nothing sees it before it has its name, so there is nothing to lock, inspect or clean up, and a killed
/// process leaves nothing behind.
package struct WholeFile: Sendable {
    /// The folder in which it is created.
    package let folder: String
    /// True if the file system keeps files in memory only, where nothing has to be synced.
    package let isInMemory: Bool
    private let file: OpenFile
    private let system: SystemCalls

    /// Makes an empty file.
    ///
    /// - Throws: `FileError` if the folder does not exist or is not writable, or the system does not support files
    ///   without a name.
    package init(inFolder folder: String, system: SystemCalls = .live) throws(FileError) {
        self.folder = folder
        self.system = system
        file = try system.openNameless(inFolder: folder)
        isInMemory = try system.space(file).inMemory
    }

    /// The identity of the file, which naming does not change.
    package var identity: FileIdentity {
        get throws(FileError) { try system.status(file).file }
    }

    /// False if the folder was opened before, and has been moved or replaced since.
    package var isFolderInPlace: Bool { system.movedFolder == nil }

    /// Writes the bytes, usually only to the page cache.
    ///
    /// - Parameter modified: The modification time of the file, in seconds since 1970.
    package func write(_ bytes: [UInt8], modified: Int64?) throws(FileError) {
        // Safe: the bytes of an array of integers are initialized, and it outlives the call.
        try system.write(file, unsafe bytes.span.bytes, at: 0)
        // The date is a convenience: a file system without it does not invalidate the file.
        if let modified { try? system.setModified(file, seconds: modified) }
    }

    /// Gives the file its name: after the return, the file survives a power failure under it.
    ///
    /// In this order, as for a partial file: the bytes are synced, the name is taken, the folder is synced. Files in
    /// memory do not survive a power failure, so nothing is synced there.
    ///
    /// - Parameter path: A path in the folder.
    /// - Returns: The status of the file; nil if the name is taken.
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
