import GRDB
import HaulLibC

/// The copy of a catalogue that is made before its schema changes.
enum CatalogueBackup {
    /// Writes a copy, including the log's part, readable only by the owner.
    ///
    /// Only a complete copy gets the name.
    static func make(of queue: DatabaseQueue, at path: String) throws {
        let unfinished = path + ".part"
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        unsafe unlink(unfinished)
        try CatalogueFile(path: unfinished).create()
        // VACUUM INTO accepts an existing empty file and keeps its mode.
        try queue.inDatabase { try $0.execute(sql: "VACUUM INTO ?", arguments: [unfinished]) }
        guard unsafe rename(unfinished, path) == 0 else { throw CatalogueFailure.system(errno, "copy", path) }
    }
}
