import HaulAria2
import HaulCLI
import HaulCore
import HaulLibC
import Synchronization

/// Writes sessions: first to a temporary file, which then replaces the old one, so that there is a complete file at any
/// instant.
final class Aria2SessionFile: Sendable {
    private let interface = Mutex<Aria2RPC?>(nil)
    /// The entries of the input file that have not become downloads, by line: a session that replaces the file must
    /// still have them.
    private let rest = Mutex<[Int: Aria2List.Entry]>([:])
    /// The input file that can't be read; it is not replaced.
    private let unread = Mutex<String?>(nil)

    /// The downloads that the end of the program stops.
    private let stopped = Mutex<Set<DownloadID>>([])

    /// The interface whose downloads are saved; set once, after both objects were created.
    var rpc: Aria2RPC? {
        get { interface.withLock { $0 } }
        set { interface.withLock { $0 = newValue } }
    }

    /// Keeps the entries of the input file until they have become downloads.
    func keep(_ entries: [Aria2List.Entry]) {
        rest.withLock { rest in
            for entry in entries { rest[entry.line] = entry }
        }
    }

    /// Records that an entry has become a download.
    func didAdd(_ entry: Aria2List.Entry) { rest.withLock { $0[entry.line] = nil } }

    /// Records that the end of the program pauses these downloads: the next start continues them.
    func willStop(_ ids: [DownloadID]) { stopped.withLock { $0.formUnion(ids) } }

    /// Records that the input file exists but can't be read.
    func keepUnread(_ path: String) { unread.withLock { $0 = path } }

    func save(to path: String) async throws(Aria2Failure) {
        guard unread.withLock({ $0 }) != path else {
            throw .refused("The session is not saved: '\(TerminalText.printable(path))' exists, but could not be read.")
        }
        guard let rpc else { return }
        guard !path.hasSuffix(".gz") else {
            throw .refused("Compressed session files are not supported: choose a name that does not end in .gz.")
        }
        var session = try await rpc.session(stopped: stopped.withLock { $0 })
        session.entries += rest.withLock { rest in rest.sorted { $0.key < $1.key }.map(\.value) }
        let text = session.text
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
