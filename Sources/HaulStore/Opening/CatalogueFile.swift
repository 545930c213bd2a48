import GRDB
package import HaulCore
import HaulLibC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The database file before SQLite opens it.
///
/// Used under the catalogue's lock, so names that were free remain free.
struct CatalogueFile {
    /// The path of the file.
    let path: String

    /// The content of the first hundred bytes (SQLite's file format, section 1.3).
    enum Header: Equatable {
        /// There is no file.
        case missing
        /// It has the schema of this version; the rest may still be damaged.
        case database(version: Int32, application: Int32)
        /// It is not a database.
        case garbled
    }

    /// Reads the header.
    ///
    /// - Throws: `catalogueFailed` if it is not a file, or cannot be read.
    func header() throws(DownloadError) -> Header {
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT, !exists(path) { return .missing }
            throw CatalogueFailure.system(errno, "open", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw CatalogueFailure.system(errno, "open", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw CatalogueFailure.system(EISDIR, "open", path) }
        var bytes = [UInt8](repeating: 0, count: 100)
        // Safe: the buffer holds the hundred bytes that are requested.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw CatalogueFailure.system(errno, "read", path) }
        guard count == bytes.count, bytes.starts(with: Self.magic) else { return .garbled }
        return .database(version: Self.number(bytes[60..<64]), application: Self.number(bytes[68..<72]))
    }

    /// Creates the empty file, accessible only by its owner: SQLite gives `-wal` the same mode.
    func create() throws(DownloadError) {
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CatalogueFailure.system(errno, "create", path) }
        close(descriptor)
    }

    /// Rejects a file that can be read but not written: SQLite would open it all the same.
    func checkWritable() throws(DownloadError) {
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        guard unsafe access(path, W_OK) == 0 else { throw CatalogueFailure.system(errno, "write", path) }
    }

    /// Moves database, `-wal` and the `-shm` of another program to free names, and returns the new name of the database.
    ///
    /// They keep the suffixes that SQLite expects, so that its `.recover` finds everything that is left.
    func quarantine() throws(DownloadError) -> String {
        let target = freeName { "\(path).bad-\($0)" }
        for suffix in Self.suffixes.reversed() where exists(path + suffix) {
            // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the
            // call.
            guard unsafe rename(path + suffix, target + suffix) == 0 else {
                throw CatalogueFailure.system(errno, "quarantine", path)
            }
        }
        return target
    }

    /// Returns a free name for a backup.
    ///
    /// - Parameter label: The version of its schema, or its time.
    func backupName(_ label: String) -> String {
        freeName { $0 == 1 ? "\(path).backup-\(label)" : "\(path).backup-\(label)-\($0)" }
    }

    /// Removes copies that a killed process left unfinished, with SQLite's journals of them.
    ///
    /// The partial file of a download could have such a name, and has a journal of Haul's beside it.
    func removeUnfinishedCopies() {
        let folder = Self.folder(of: path)
        let name = folder == "." ? path : String(path.dropFirst(folder.count))
        let found = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        for each in found where each.hasPrefix(name + ".backup-") || each.hasPrefix(name + ".rewritten.") {
            let isUnfinished = each.hasSuffix(".part") && !found.contains(each + ".haul")
            if isUnfinished || each.hasSuffix(".part-journal") { remove(folder == "." ? each : folder + each) }
        }
    }

    /// Writes a copy of the catalogue, which takes its place with `takeRewritten`, or when it is opened next.
    func makeRewritten(from queue: DatabaseQueue) throws {
        try CatalogueBackup.make(of: queue, at: rewritten)
        do throws(DownloadError) {
            try syncFolder()
        } catch {
            // Otherwise it might take the place of what is written until then.
            remove(rewritten)
            throw error
        }
    }

    /// Puts the copy of `makeRewritten` in its place; without effect unless it was made.
    ///
    /// The log belongs to the old file, and goes first: a kill in between is repaired by the next call.
    func takeRewritten() throws(DownloadError) {
        guard exists(rewritten) else { return }
        for suffix in ["-wal", "-shm"] { remove(path + suffix) }
        // Safe: the paths are Swift strings, which are passed as NUL-terminated strings for the duration of the call.
        guard unsafe rename(rewritten, path) == 0 else { throw CatalogueFailure.system(errno, "write", path) }
        try syncFolder()
    }

    /// True if an earlier process could not sync the catalogue.
    var isMarkedUnsynced: Bool { exists(unsynced) }

    /// Leaves a mark for the next process, as far as that is possible.
    func markUnsynced() {
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        let descriptor = unsafe open(unsynced, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Removes the mark.
    func unmarkUnsynced() { remove(unsynced) }

    private var rewritten: String { path + ".rewritten" }
    private var unsynced: String { path + ".unsynced" }

    private func remove(_ path: String) {
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        _ = unsafe unlink(path)
    }

    private func syncFolder() throws(DownloadError) {
        if let failure = syncFile(Self.folder(of: path)) { throw failure.error("sync", path) }
    }

    /// Returns the folder of a path.
    static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
    }

    private func freeName(_ name: (Int) -> String) -> String {
        var number = 1
        while Self.suffixes.contains(where: { exists(name(number) + $0) }) { number += 1 }
        return name(number)
    }

    // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call. A
    // dangling symbolic link counts as existing.
    private func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Returns the size of a file; 0 if there is none.
    static func size(of path: String) -> Int64 {
        var status = stat()
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    private static let suffixes = ["", "-wal", "-shm"]
    private static let magic = Array("SQLite format 3\0".utf8)

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int32 {
        bytes.reduce(0) { $0 << 8 | Int32(truncatingIfNeeded: $1) }
    }
}

/// The copy of a catalogue.
enum CatalogueBackup {
    /// Writes a copy, including the log's part, readable only by the owner.
    ///
    /// Only a complete copy gets the name.
    ///
    /// - Parameter keepsRemovals: False if the copy is for later: a removal that is in progress now must not remove the
    ///   files of a download that is added again, or retried, meanwhile. In the copy, a download whose partial file was
    ///   to be removed is cancelled, and its files are kept.
    static func make(of queue: DatabaseQueue, at path: String, keepsRemovals: Bool = true) throws {
        let unfinished = path + ".part"
        // Safe, here and below: the path is a Swift string, which is passed as a NUL-terminated string for the duration
        // of the call.
        defer { unsafe unlink(unfinished) }
        unsafe unlink(unfinished)
        try CatalogueFile(path: unfinished).create()
        // VACUUM INTO accepts an existing empty file and keeps its mode.
        try queue.inDatabase { database in
            try database.execute(sql: "VACUUM INTO ?", arguments: [unfinished])
            guard !keepsRemovals, try removes(database) else { return }
            try database.execute(sql: "ATTACH ? AS copy", arguments: [unfinished])
            defer { try? database.execute(sql: "DETACH copy") }
            try database.execute(
                sql: """
                    UPDATE copy.download SET kept = 1 WHERE pending_terminal_event = 1 AND kept = 0;
                    DELETE FROM copy.removal
                    """)
        }
        if let failure = syncFile(unfinished) { throw failure.error("copy", path) }
        guard unsafe rename(unfinished, path) == 0 else { throw CatalogueFailure.system(errno, "copy", path) }
    }

    /// Returns true if the next launch would remove files.
    private static func removes(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM removal)
                    OR EXISTS (SELECT 1 FROM download WHERE pending_terminal_event = 1 AND kept = 0)
                """) ?? false
    }
}

extension Catalogue {
    /// Copies the catalogue, as of one instant, into a new file beside it, which only the owner can read, and returns its
    /// path.
    ///
    /// - Parameter label: The end of its name, such as the time; a number follows if the name is taken.
    /// - Throws: `DownloadError`: `notPossible` if it is in memory, `catalogueFailed`.
    package func backUp(_ label: String) throws(DownloadError) -> String {
        guard isFile else { throw DownloadError(.notPossible, "a list in memory can't be backed up") }
        let path = CatalogueFile(path: name).backupName(label)
        do {
            try CatalogueBackup.make(of: queue, at: path, keepsRemovals: false)
        } catch {
            throw CatalogueFailure.error(error, at: name)
        }
        return path
    }
}
