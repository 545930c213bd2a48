import HaulCore
import HaulLibC
import Synchronization

/// The lock of a catalogue: an exclusive flock(2) on the file `.lock` beside it, held during the lifetime of this
/// object.
///
/// The kernel releases it when the process has died and no child that was being started has a copy of the descriptor.
/// The file is kept: if it were removed, two processes could hold the locks of two files.
final class CatalogueLock: Sendable {
    let descriptor: Int32
    private let file: Inode

    /// The identity of a lock file.
    private struct Inode: Hashable {
        let device: UInt64
        let number: UInt64

        init(_ status: stat) {
            (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        }
    }

    /// The locks that this process holds, to tell them from those of other processes.
    private static let own = Mutex<Set<Inode>>([])

    /// Acquires the lock of the catalogue at this path.
    ///
    /// - Throws: `catalogueBusy` if another process, or this one, holds it; `catalogueFailed` if the file cannot be
    ///   created.
    init(_ path: String) throws(DownloadError) {
        let name = path + ".lock"
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call.
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CatalogueFailure.system(errno, "lock", path) }
        let file = Self.inode(descriptor)
        guard Self.lock(descriptor) else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw CatalogueFailure.system(code, "lock", path) }
            throw file.map({ file in Self.own.withLock { $0.contains(file) } }) == true
                ? Self.heldHere(path) : Self.heldElsewhere(path, name)
        }
        guard let file else {
            let code = errno
            close(descriptor)
            throw CatalogueFailure.system(code, "lock", path)
        }
        Self.own.withLock { _ = $0.insert(file) }
        self.file = file
        // Last, because from here on `deinit` closes the descriptor, even if `init` throws.
        self.descriptor = descriptor
    }

    /// Releases the lock with LOCK_UN of flock(2), because closing is not sufficient.
    ///
    /// A process that is being started has a copy of each descriptor until it executes another program (execve(2)).
    deinit {
        // Before the lock is released, because another thread may acquire it at once.
        Self.own.withLock { _ = $0.remove(file) }
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Throws `catalogueBusy` if this process holds the lock of a catalogue.
    ///
    /// The catalogue must not even be read then: SQLite has a lock on the file (fcntl(2)), which the process loses when it
    /// closes any descriptor of it.
    static func checkNotHeldHere(_ path: String) throws(DownloadError) {
        var status = stat()
        // Safe: the path is a Swift string, which is passed as a NUL-terminated string for the duration of the call, and
        // the value, which the call fills, outlives it.
        guard unsafe stat(path + ".lock", &status) == 0 else { return }
        if own.withLock({ $0.contains(Inode(status)) }) { throw heldHere(path) }
    }

    private static func heldHere(_ path: String) -> DownloadError {
        DownloadError(
            .catalogueBusy,
            "this process has the catalogue \(path) open already, perhaps in a manager that was dropped without being closed: close that manager first"
        )
    }

    private static func heldElsewhere(_ path: String, _ name: String) -> DownloadError {
        DownloadError(
            .catalogueBusy,
            "another process uses the catalogue \(path): stop it, or choose another path for the catalogue",
            cause: "flock: \(name) is locked")
    }

    private static func inode(_ descriptor: Int32) -> Inode? {
        var status = stat()
        // Safe: the value outlives the call, which fills it.
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return Inode(status)
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
