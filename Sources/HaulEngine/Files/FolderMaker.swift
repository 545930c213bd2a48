package import HaulCore
import HaulLibC
import Synchronization

/// Creates the folders for downloads, and checks each only once.
///
/// A missing folder is created in the open folder above it and opened without following links, so that a download can't
/// be redirected by a symbolic link put in its place. Links that existed before are the user's own, and are followed.
package final class FolderMaker: Sendable {
    private let known = Mutex<Set<ByteKey>>([])

    /// Creates a maker that has not checked any folder.
    package init() {}

    /// Creates the folders of a download if they are missing.
    ///
    /// - Parameter base: See `make(_:below:)`.
    /// - Throws: `DownloadError` with code `fileFailed` or `noSpace` that names the folder.
    package func prepare(for spec: DownloadSpec, below base: String? = nil) throws(DownloadError) {
        switch spec.destination {
        case .folder(let path), .hashed(let path): try prepare(path, below: base)
        case .file(let path):
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { break }
            try prepare(String(path[..<slash]), below: base)
        }
        if let folder = spec.partialFolder { try prepare(folder, below: nil) }
    }

    private func prepare(_ path: String, below base: String?) throws(DownloadError) {
        guard known.withLock({ !$0.contains(ByteKey(path)) }) else { return }
        try Self.make(path, below: base)
        // A list of millions of downloads may name that number of folders.
        known.withLock { if $0.count < 10_000 { _ = $0.insert(ByteKey(path)) } }
    }

    /// Creates a folder and those above it if they do not exist, with the permissions that the umask allows.
    ///
    /// - Parameter base: A folder that the path begins with. Below it no link is followed, not even an existing one,
    ///   because the rest of the path is not the user's own; nil: existing links are followed everywhere.
    /// - Throws: `DownloadError` with code `fileFailed` or `noSpace` that names the folder.
    package static func make(_ path: String, below base: String? = nil) throws(DownloadError) {
        guard !path.isEmpty, !path.utf8.contains(0), base != nil || !exists(path) else { return }
        // Unsafe, here and below: the C library reads the path up to its NUL and keeps no pointer.
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var folder = unsafe open(isAbsolute ? "/" : ".", flags)
        guard folder >= 0 else { throw failure(path, errno) }
        defer { _ = close(folder) }
        var (reached, isNew) = (isAbsolute ? "" : ".", false)
        let followed = base.map { $0.pathComponents.count } ?? .max
        for (index, part) in path.pathComponents.enumerated() {
            reached = reached == "." ? part : "\(reached)/\(part)"
            let isStrict = isNew || index >= followed
            var next = unsafe openat(folder, part, isStrict ? flags | O_NOFOLLOW : flags)
            if next < 0, errno == ENOENT {
                guard unsafe mkdirat(folder, part, 0o777) == 0 || errno == EEXIST else {
                    throw failure(reached, errno)
                }
                isNew = true
                next = unsafe openat(folder, part, flags | O_NOFOLLOW)
            }
            guard next >= 0 else { throw failure(reached, errno) }
            _ = close(folder)
            folder = next
        }
    }

    /// Returns true for a folder, or a link to one.
    private static func exists(_ path: String) -> Bool {
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    // open(2): O_PATH, which Glibc's headers hide from Swift, needs no read permission on the folders of the path.
    #if os(Linux)
        private static let flags: Int32 = O_DIRECTORY | O_CLOEXEC | 0o10000000
    #else
        private static let flags: Int32 = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    #endif

    /// Returns the error for an error number of the system.
    package static func failure(_ path: String, _ number: Int32) -> DownloadError {
        // Unsafe: the text belongs to the C library and is copied at once.
        let words = unsafe String(cString: strerror(number))
        let code: DownloadError.Code =
            switch number {
            case ENOSPC, EDQUOT: .noSpace
            case EMFILE, ENFILE: .tooManyFiles
            default: .fileFailed
            }
        let advice =
            switch number {
            case ENOTDIR, ELOOP: "it is a file, or a symbolic link that is not followed: choose another folder"
            case EACCES, EPERM, EROFS: "no permission; choose another folder"
            case ENOSPC, EDQUOT: "free some space"
            case EMFILE, ENFILE: "too many open files; run fewer downloads, or raise the limit (ulimit -n)"
            default: "choose another folder"
            }
        return DownloadError(code, "can't create the folder \(path): \(advice)", cause: words)
    }
}
