import CHaulSystem
import GRDB
import HaulCore
import HaulLibC

/// Converts errors of SQLite and the system to errors with advice.
enum CatalogueFailure {
    /// Returns the error for anything that was thrown for the catalogue at this path.
    static func error(_ error: any Error, at path: String) -> DownloadError {
        switch error {
        case let error as DownloadError: error
        case let error as DatabaseError:
            DownloadError(code(of: error), sentence(for: error, path), cause: words(of: error))
        default: DownloadError(.catalogueFailed, "the catalogue \(path) failed", cause: "\(type(of: error))")
        }
    }

    /// Returns the error for a system call that failed with this `errno`.
    static func system(_ code: Int32, _ verb: String, _ path: String) -> DownloadError {
        // Safe: strerror(3) returns a constant text for every code of the kernel, and the text is copied at once.
        let words = unsafe String(cString: strerror(code))
        return DownloadError(.catalogueFailed, "can't \(verb) the catalogue \(path): \(advice(code))", cause: words)
    }

    /// Returns true if the file is not a database, or a damaged one.
    static func isGarbled(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_NOTADB || error.resultCode == .SQLITE_CORRUPT
    }

    /// Returns true if a sync failed: data may be lost, whatever later syncs report.
    static func isOfSync(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.extendedResultCode == .SQLITE_IOERR_FSYNC
    }

    /// Returns SQLite's message without the SQL and its arguments, which may contain user data.
    private static func words(of error: DatabaseError) -> String {
        "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
    }

    private static func code(of error: DatabaseError) -> DownloadError.Code {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .catalogueBusy
        default: .catalogueFailed
        }
    }

    private static func sentence(for error: DatabaseError, _ path: String) -> String {
        sentence(for: error, path, isFull: { isFull(path) })
    }

    /// Returns the message for an error of SQLite.
    ///
    /// - Parameter isFull: Returns true if the file system of the catalogue is full.
    static func sentence(for error: DatabaseError, _ path: String, isFull: () -> Bool) -> String {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another process uses the catalogue \(path): stop it, then try again"
        case .SQLITE_FULL: noSpace(path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            "can't write the catalogue \(path): change its permissions, or choose another path"
        case .SQLITE_CANTOPEN:
            isFull() ? noSpace(path) : "can't open the catalogue \(path): check the path and its permissions"
        // SQLite reports some failures for lack of space as I/O errors.
        case .SQLITE_IOERR: isFull() ? noSpace(path) : "disk error in the catalogue \(path): check the disk"
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            "the catalogue \(path) is corrupt: move it away, or restore it with \"sqlite3 \(path) .recover\""
        case .SQLITE_MISUSE: "the catalogue \(path) is closed: open it again"
        case .SQLITE_CONSTRAINT: "the catalogue \(path) rejected an inconsistent record: please report it"
        default: "the catalogue \(path) failed: try again; if it fails again, please report it"
        }
    }

    private static func noSpace(_ path: String) -> String {
        "not enough disk space for the list \(path): free some space, then try again"
    }

    /// The free space in bytes below which an I/O error is explained by the lack of it: some file systems
    /// never give away their last blocks.
    private static let minFree: Int64 = 256 << 10

    /// Returns true if the file system of a file has too little space left.
    private static func isFull(_ path: String) -> Bool {
        DiskSpace.available(at: path).map { $0 < minFree } ?? false
    }

    private static func advice(_ code: Int32) -> String {
        switch code {
        case ENOENT: "its folder does not exist; create it"
        case ENOTDIR: "a component of the path is not a directory"
        case EISDIR: "it is a folder; give a file name"
        case EACCES, EPERM: "permission denied; change its permissions, or choose another path"
        case EROFS: "the file system is read-only; choose another path"
        case ELOOP: "it is a symbolic link; remove it, or give the path of the file itself"
        case ENOSPC, EDQUOT: "not enough disk space; free some space"
        default: "choose another path, or fix the cause"
        }
    }
}
