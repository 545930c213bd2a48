import GRDB
import HaulCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another process is using the catalogue \(path): end it, then try again"
        case .SQLITE_FULL: "the disk is full at the catalogue \(path): free some room, then try again"
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            "the catalogue \(path) can't be written: change its permissions, or choose another place for it"
        case .SQLITE_CANTOPEN: "the catalogue \(path) can't be opened: check the path and its permissions"
        case .SQLITE_IOERR: "the disk failed under the catalogue \(path): check the disk"
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            "the catalogue \(path) is damaged: move it away, or restore it with \"sqlite3 \(path) .recover\""
        case .SQLITE_MISUSE: "the catalogue \(path) is closed: open it again"
        case .SQLITE_CONSTRAINT: "the catalogue \(path) refuses a record that contradicts itself: please report it"
        default: "the catalogue \(path) failed: try again, and report it if that does not help"
        }
    }

    private static func advice(_ code: Int32) -> String {
        switch code {
        case ENOENT: "its folder does not exist; create the folder first"
        case ENOTDIR: "a part of the path that should be a folder is none"
        case EISDIR: "it is a folder; choose the name of a file in it"
        case EACCES, EPERM: "no permission; change its permissions, or choose another place for it"
        case EROFS: "the file system is read-only; choose another place for it"
        case ELOOP: "a symbolic link stands there; remove it, or name the file itself"
        case ENOSPC, EDQUOT: "the disk is full; free some room"
        default: "choose another place for it, or mend what the system names"
        }
    }
}
