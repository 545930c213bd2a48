import Foundation
import HaulAria2
import HaulCore
import Synchronization

/// Writes sessions: beside the file first, then over it, so that there is a whole one at any instant.
final class Aria2SessionFile: Sendable {
    private let interface = Mutex<Aria2RPC?>(nil)

    /// Whose downloads are saved; set once, when both are there.
    var rpc: Aria2RPC? {
        get { interface.withLock { $0 } }
        set { interface.withLock { $0 = newValue } }
    }

    func save(to path: String) async throws(Aria2Failure) {
        guard let rpc else { return }
        guard !path.hasSuffix(".gz") else {
            throw .refused("A session can't be written compressed: choose a name that does not end in .gz.")
        }
        let text = try await rpc.session().text
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            // URLs may be worth as much as a password.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw .refused("Failed to serialize session to '\(TerminalText.printable(path))'.")
        }
    }
}
