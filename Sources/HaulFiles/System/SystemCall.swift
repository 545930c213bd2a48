/// A system call, as a hook sees it before it is made.
package enum SystemCall: Sendable, Hashable {
    case open(path: String)
    case close(path: String)
    case status(path: String)
    case space(path: String)
    case lock(path: String)
    case pread(path: String, offset: Int64, count: Int)
    case pwrite(path: String, offset: Int64, count: Int)
    case fallocate(path: String, size: Int64)
    case ftruncate(path: String, size: Int64)
    case punch(path: String, offset: Int64, count: Int64)
    case compareWithDisk(path: String, offset: Int64, count: Int64)
    case syncFileRange(path: String, offset: Int64, count: Int64)
    case fdatasync(path: String)
    case fsync(path: String)
    case fsyncFolder(path: String)
    case setModified(path: String, seconds: Int64)
    case rename(from: String, to: String)
    case renameNoReplace(from: String, to: String)
    case link(from: String, to: String)
    case unlink(path: String)
    case list(path: String)
}

extension SystemCall {
    /// The name of a call without its arguments.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case open, close, status, space, lock, pread, pwrite, fallocate, ftruncate, punch, compareWithDisk,
            syncFileRange
        case fdatasync, fsync, fsyncFolder, setModified, rename, renameNoReplace, link, unlink, list
    }

    /// The name of this call.
    package var kind: Kind {
        switch self {
        case .open: .open
        case .close: .close
        case .status: .status
        case .space: .space
        case .lock: .lock
        case .pread: .pread
        case .pwrite: .pwrite
        case .fallocate: .fallocate
        case .ftruncate: .ftruncate
        case .punch: .punch
        case .compareWithDisk: .compareWithDisk
        case .syncFileRange: .syncFileRange
        case .fdatasync: .fdatasync
        case .fsync: .fsync
        case .fsyncFolder: .fsyncFolder
        case .setModified: .setModified
        case .rename: .rename
        case .renameNoReplace: .renameNoReplace
        case .link: .link
        case .unlink: .unlink
        case .list: .list
        }
    }

    /// The path for error messages: of two, the new one.
    package var path: String {
        switch self {
        case .open(let path), .close(let path), .status(let path), .space(let path), .lock(let path),
            .fdatasync(let path),
            .fsync(let path), .fsyncFolder(let path), .unlink(let path), .list(let path):
            path
        case .pread(let path, _, _), .pwrite(let path, _, _), .syncFileRange(let path, _, _), .punch(let path, _, _),
            .compareWithDisk(let path, _, _):
            path
        case .fallocate(let path, _), .ftruncate(let path, _), .setModified(let path, _): path
        case .rename(_, let path), .renameNoReplace(_, let path), .link(_, let path): path
        }
    }
}

/// The decision of a hook about a call.
package enum SystemCallVerdict: Sendable, Hashable {
    /// Make the call.
    case proceed
    /// Do not make the call; fail with this `errno`.
    case fail(Int32)
    /// Do not make the call, but report success: saves a test the time of a sync.
    case pretend
    /// Make the call for at most this many bytes (at least one); applies only to `pread` and `pwrite`.
    case short(Int)
}
