/// A version of the contents of a file, which differs from the next one.
package struct FileVersion: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Creates the present version of a file; nil if it is unknown, or if the path does not name a regular file: a pipe
    /// can be read only once.
    package init?(path: String) {
        var found = stat()
        // Unsafe: stat(2) reads the path up to its NUL and fills the struct, which outlives the call.
        guard unsafe stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let time = found.st_mtimespec
        #else
            let time = found.st_mtim
        #endif
        device = UInt64(truncatingIfNeeded: found.st_dev)
        inode = UInt64(found.st_ino)
        size = Int64(found.st_size)
        seconds = Int64(time.tv_sec)
        nanoseconds = Int64(time.tv_nsec)
    }
}
