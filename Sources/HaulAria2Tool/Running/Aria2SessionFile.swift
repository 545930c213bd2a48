import HaulAria2
import HaulCLI
import HaulCore
import HaulLibC
import Synchronization

/// Writes sessions: first to a temporary file, which then replaces the old one, so that there is a complete file at any
/// instant.
final class Aria2SessionFile: Sendable {
    private let interface = Mutex<Aria2RPC?>(nil)

    /// The interface whose downloads are saved; set once, after both objects were created.
    var rpc: Aria2RPC? {
        get { interface.withLock { $0 } }
        set { interface.withLock { $0 = newValue } }
    }

    func save(to path: String) async throws(Aria2Failure) {
        guard let rpc else { return }
        guard !path.hasSuffix(".gz") else {
            throw .refused("Compressed session files are not supported: choose a name that does not end in .gz.")
        }
        let text = try await rpc.session().text
        guard Self.replace(path, with: text) else {
            throw .refused("Failed to serialize session to '\(TerminalText.printable(path))'.")
        }
    }

    /// Writes a file that other users cannot read at any time, and renames it.
    private static func replace(_ path: String, with text: String) -> Bool {
        let temporary = "\(path).\(getpid())"
        // Unsafe, here and below: the paths are copied by the calls.
        _ = unsafe unlink(temporary)
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let isWritten = OutputFile(descriptor: file).write(text)
        let isClosed = close(file) == 0
        guard isWritten, isClosed, unsafe rename(temporary, path) == 0 else {
            _ = unsafe unlink(temporary)
            return false
        }
        return true
    }
}
