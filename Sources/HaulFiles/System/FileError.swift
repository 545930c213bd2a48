package import HaulCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A system call that failed: which, on what, and the `errno`.
package struct FileError: Error, Hashable, Sendable {
    /// The call.
    package let operation: SystemCall.Kind
    /// What it was called on.
    package let path: String
    /// The `errno`.
    package let code: Int32

    /// Makes an error.
    package init(_ operation: SystemCall.Kind, _ path: String, _ code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Whether the file system lacks the call, rather than refusing it.
    var isUnsupported: Bool { [ENOSYS, EOPNOTSUPP, ENOTSUP, EINVAL].contains(code) }

    /// The failure as the public sees it: a code, a sentence that says what to do, the system's own words as the cause.
    package var downloadError: DownloadError {
        // Safe: strerror(3) answers a constant text for every code that a kernel gives, and the text is copied at once.
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
        case ENOSPC: "the disk is full at \(path): free some room, then start the download again"
        case EDQUOT: "the disk quota is used up at \(path): free some room, then start the download again"
        case EEXIST: "\(path) exists already: choose another name, or have it replaced"
        case EACCES, EPERM: "no permission to \(verb) \(path): change its permissions, or choose another folder"
        case ENOENT: "\(path) can't be used because its folder does not exist: create the folder first"
        case ENOTDIR: "a part of \(path) that should be a folder is none: correct the path"
        case EISDIR: "\(path) is a folder: choose the name of a file in it"
        case EROFS: "\(path) is on a file system that is read-only: choose another folder"
        case ELOOP: "\(path) is a symbolic link, which is never written through: remove it, or choose another name"
        case ENAMETOOLONG: "the name \(path) is too long for the file system: choose a shorter one"
        case EMFILE, ENFILE:
            "too many files are open to \(verb) \(path): run fewer downloads, or raise the limit (ulimit -n)"
        case EFBIG: "\(path) is larger than the file system allows: choose another disk"
        case EIO: "the disk failed to \(verb) \(path): check the disk"
        default: "can't \(verb) \(path)"
        }
    }

    private var verb: String {
        switch operation {
        case .open: "open"
        case .close: "close"
        case .status, .space: "look at"
        case .lock: "lock"
        case .pread, .list: "read"
        case .pwrite, .syncFileRange: "write"
        case .fallocate, .ftruncate: "make room for"
        case .fdatasync, .fsync, .fsyncFolder: "make safe on the disk"
        case .setModified: "set the date of"
        case .rename, .renameNoReplace, .link: "create"
        case .unlink: "remove"
        }
    }
}

/// Runs `body` and turns what it throws into the public error.
func publicly<R: ~Copyable>(_ body: () throws(FileError) -> R) throws(DownloadError) -> R {
    do {
        return try body()
    } catch {
        throw error.downloadError
    }
}
