import HaulCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The right to a catalogue: an exclusive flock(2) on the file `.lock` beside it, held for as long as this lives.
///
/// The kernel gives it back when the process dies. The file stays: were it removed, two processes could hold two of
/// them.
final class CatalogueLock: Sendable {
    private let descriptor: Int32

    /// Takes the right to the catalogue at this path.
    ///
    /// What is locked is tried again for a fifth of a second. A process that is being started has a copy of every descriptor of this one until it
    /// becomes another program (flock(2), execve(2)): so long a lock outlives whoever gave it back.
    ///
    /// - Parameters:
    ///   - tries: How often it is tried.
    ///   - pause: What is done between two tries.
    /// - Throws: `catalogueBusy` where another process has it, or this one a second time; `catalogueFailed` where the
    ///   file can't be made.
    init(_ path: String, tries: Int = 20, pause: () -> Void = { usleep(10_000) }) throws(DownloadError) {
        let name = path + ".lock"
        // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CatalogueFailure.system(errno, "lock", path) }
        var left = tries - 1
        while !Self.lock(descriptor) {
            guard errno != EWOULDBLOCK || left == 0 else {
                left -= 1
                pause()
                continue
            }
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw CatalogueFailure.system(code, "lock", path) }
            throw DownloadError(
                .catalogueBusy,
                "another process has the catalogue \(path): end it, or choose another place for the catalogue",
                cause: "flock: \(name) is locked")
        }
        // Last: from here on the descriptor is `deinit`'s to close, also of what an `init` that throws leaves.
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func lock(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
