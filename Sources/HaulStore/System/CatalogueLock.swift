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
/// The kernel gives it back when the process dies and no child that it was just starting has a copy of the descriptor any more. The file stays: were it removed, two processes could hold two of
/// them.
final class CatalogueLock: Sendable {
    let descriptor: Int32

    /// Takes the right to the catalogue at this path.
    ///
    /// - Throws: `catalogueBusy` where another process has it, or this one a second time; `catalogueFailed` where the
    ///   file can't be made.
    init(_ path: String) throws(DownloadError) {
        let name = path + ".lock"
        // Safe: the path is a Swift string, which lives through the call as a text that ends with a NUL.
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CatalogueFailure.system(errno, "lock", path) }
        guard Self.lock(descriptor) else {
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

    /// Gives the right back: flock(2) with LOCK_UN, since to close it is not enough.
    ///
    /// A process that is being started has a copy of each descriptor until it becomes another program (execve(2)).
    deinit {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
