import HaulCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The database file as it stands before SQLite touches it.
///
/// Used under the catalogue's lock, so names that are found free stay free.
struct CatalogueFile {
    /// Its path.
    let path: String

    /// What the first hundred bytes say (SQLite's file format, section 1.3).
    enum Header: Equatable {
        /// There is no file.
        case missing
        /// It has the layout of this version; whether the rest is sound is not said.
        case database(version: Int32, application: Int32)
        /// It is no database.
        case garbled
    }

    /// Reads the header.
    ///
    /// - Throws: `catalogueFailed` where it is no file, or can't be read.
    func header() throws(DownloadError) -> Header {
        // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
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
        // Safe: the buffer holds the hundred bytes that are asked for.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw CatalogueFailure.system(errno, "read", path) }
        guard count == bytes.count, bytes.starts(with: Self.magic) else { return .garbled }
        return .database(version: Self.number(bytes[60..<64]), application: Self.number(bytes[68..<72]))
    }

    /// Makes the file, empty, for its owner alone: SQLite gives `-wal` and `-shm` the same mode.
    func create() throws(DownloadError) {
        // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CatalogueFailure.system(errno, "create", path) }
        close(descriptor)
    }

    /// Refuses a file that can be read but not written: SQLite would open it all the same.
    func checkWritable() throws(DownloadError) {
        // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
        guard unsafe access(path, W_OK) == 0 else { throw CatalogueFailure.system(errno, "write", path) }
    }

    /// Moves database, `-wal` and `-shm` to names that nothing has, and tells the new name of the database.
    ///
    /// They stay together under the names that SQLite expects, so that its `.recover` finds all that is left.
    func quarantine() throws(DownloadError) -> String {
        let target = freeName { "\(path).bad-\($0)" }
        for suffix in Self.suffixes.reversed() where exists(path + suffix) {
            // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
            guard unsafe rename(path + suffix, target + suffix) == 0 else {
                throw CatalogueFailure.system(errno, "quarantine", path)
            }
        }
        return target
    }

    /// A name for a copy of this version that nothing has yet.
    func backupName(version: Int32) -> String {
        freeName { $0 == 1 ? "\(path).backup-v\(version)" : "\(path).backup-v\(version)-\($0)" }
    }

    private func freeName(_ name: (Int) -> String) -> String {
        var number = 1
        while Self.suffixes.contains(where: { exists(name(number) + $0) }) { number += 1 }
        return name(number)
    }

    // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
    // A symbolic link that leads nowhere counts as something.
    private func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    private static let suffixes = ["", "-wal", "-shm"]
    private static let magic = Array("SQLite format 3\0".utf8)

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int32 {
        bytes.reduce(0) { $0 << 8 | Int32(truncatingIfNeeded: $1) }
    }
}
