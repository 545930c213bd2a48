import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The copy of a catalogue that is made before its layout changes.
enum CatalogueBackup {
    /// Writes a copy, the log's part included, for the owner alone; only a whole copy gets the name.
    static func make(of queue: DatabaseQueue, at path: String) throws {
        let unfinished = path + ".part"
        // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
        unsafe unlink(unfinished)
        try CatalogueFile(path: unfinished).create()
        // VACUUM INTO takes an empty file that is there, and with it its mode.
        try queue.inDatabase { try $0.execute(sql: "VACUUM INTO ?", arguments: [unfinished]) }
        guard unsafe rename(unfinished, path) == 0 else { throw CatalogueFailure.system(errno, "copy", path) }
    }
}
