package import HaulCore
import HaulLibC

/// The exclusive claim to a Unix socket: an flock(2) on the file `.lock` beside it, held for the lifetime of this
/// object.
///
/// Daemons with different state folders may be given the same socket. The lock decides between two that start at once;
/// the attempt to connect finds a listener without a lock, such as a service manager's.
package final class SocketClaim: Sendable {
    private let path: String
    private let file: Int32

    /// Claims a socket; its file may or may not exist.
    ///
    /// The file of a daemon that has ended is left for the listener to replace.
    ///
    /// - Throws: `DownloadError` with code `catalogueBusy` if another process listens there, or `fileFailed`.
    package init(path: String) throws(DownloadError) {
        self.path = path
        let name = path + ".lock"
        // Unsafe: the path is copied by the call.
        let file = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemFailure.error("can't open the lock of the daemon's socket \(name)", errno) }
        let code = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
        guard code == 0 || code == EWOULDBLOCK else {
            close(file)
            throw SystemFailure.error("can't take the lock of the daemon's socket \(name)", code)
        }
        guard code == 0, !Self.answers(path) else {
            close(file)
            throw DownloadError(
                .catalogueBusy,
                "another daemon is listening at \(path): stop it, or choose another socket")
        }
        // Last: from here on `deinit` closes the descriptor.
        self.file = file
    }

    /// Removes the socket's file, unless another process listens there by now.
    package func removeSocket() {
        guard !Self.answers(path) else { return }
        // Unsafe: the path is copied by the call.
        unsafe _ = unlink(path)
    }

    /// Releases the claim, even if a process that is being started has a copy of the descriptor.
    deinit {
        _ = flock(file, LOCK_UN)
        close(file)
    }

    /// Returns true if a process listens at the socket.
    ///
    /// Connects without waiting; a full queue (EAGAIN) also means that there is a listener.
    package static func answers(_ path: String) -> Bool {
        #if canImport(Glibc)
            let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        #elseif canImport(Musl)
            let file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
        #else
            let file = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard file >= 0 else { return false }
        defer { close(file) }
        var target = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: target.sun_path) else { return false }
        target.sun_family = sa_family_t(AF_UNIX)
        // Unsafe: the path fits, as was checked, and the address is borrowed for the call, which copies it.
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let result = unsafe withUnsafePointer(to: &target) { target in
            unsafe target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                unsafe connect(file, target, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // Read at once: any allocation may change it.
        let code = errno
        return result == 0 || code != ECONNREFUSED && code != ENOENT
    }
}
