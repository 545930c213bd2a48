package import HaulCore
import HaulLibC

/// A system call that failed: the call, its path, and the `errno`.
package struct FileError: Error, Hashable, Sendable {
    /// The call.
    package let operation: SystemCall.Kind
    /// The path that the call was for.
    package let path: String
    /// The `errno`.
    package let code: Int32

    /// Makes an error.
    package init(_ operation: SystemCall.Kind, _ path: String, _ code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// True if the file system does not support the call, rather than refusing it.
    var isUnsupported: Bool { [ENOSYS, EOPNOTSUPP, ENOTSUP, EINVAL].contains(code) }

    /// True if the file system has no hard links: EPERM (FAT, link(2)), or what file systems in user space answer instead
    /// (rclone: EIO).
    var lacksLinks: Bool { operation == .link && (isUnsupported || code == EPERM || code == EIO) }

    /// The failure as a public error: a code, a message with advice, and the system's own words as the cause.
    package var downloadError: DownloadError {
        // Safe: strerror(3) returns a constant text for every code of the kernel, and the text is copied at once.
        let words = unsafe String(cString: strerror(code))
        return DownloadError(publicCode, sentence, cause: words)
    }

    private var publicCode: DownloadError.Code {
        switch code {
        case ENOSPC, EDQUOT: .noSpace
        case EEXIST: .destinationExists
        case EMFILE, ENFILE: .tooManyFiles
        default: .fileFailed
        }
    }

    private var sentence: String {
        switch code {
        case EACCES where operation == .unlink, EPERM where operation == .unlink:
            "permission denied: can't remove \(path); change the permissions of its folder"
        case EROFS where operation == .unlink: "can't remove \(path): its file system is read-only"
        case ENOSPC: "not enough disk space at \(path): free some space, then start the download again"
        case EDQUOT: "disk quota exceeded at \(path): free some space, then start the download again"
        case EEXIST: "file exists: \(path)"
        case EACCES, EPERM: "permission denied: can't \(verb) \(path); change its permissions, or choose another folder"
        case ENOENT:
            "can't \(verb) \(path): its folder does not exist, or takes no files; create it, or choose another folder"
        case ENOTDIR: "a component of \(path) is not a folder: correct the path"
        case EISDIR: "\(path) is a folder: give a file name"
        case EROFS: "\(path) is on a read-only file system: choose another folder"
        case ELOOP: "\(path) is a symbolic link, which is not followed: remove it, or choose another name"
        case ENAMETOOLONG: "file name too long: \(path)"
        case EMFILE, ENFILE:
            "too many open files: can't \(verb) \(path); run fewer downloads, or raise the limit (ulimit -n)"
        case EFBIG:
            "\(path) is too large for the file system, or for the limit on file sizes (ulimit -f): "
                + "choose another disk, or raise the limit"
        case EIO: "disk error: can't \(verb) \(path); check the disk"
        default: "can't \(verb) \(path)"
        }
    }

    private var verb: String {
        switch operation {
        case .open: "open"
        case .close: "close"
        case .status, .space: "check"
        case .lock: "lock"
        case .pread, .compareWithDisk, .list: "read"
        case .pwrite, .syncFileRange: "write"
        case .fallocate, .ftruncate, .punch: "allocate space for"
        case .fdatasync, .fsync, .fsyncFolder: "sync"
        case .setModified: "set the date of"
        case .rename, .renameNoReplace, .link: "create"
        case .unlink: "remove"
        }
    }
}

/// Runs `body` and converts its error to the public one.
func publicly<R: ~Copyable>(_ body: () throws(FileError) -> R) throws(DownloadError) -> R {
    do {
        return try body()
    } catch {
        throw error.downloadError
    }
}

/// Runs a call of the file layer and converts its error to the public one.
package func fileCall<Value>(_ call: () throws(FileError) -> Value) throws(DownloadError) -> Value {
    do throws(FileError) {
        return try call()
    } catch {
        throw error.downloadError
    }
}
