import Foundation
package import HaulFiles
import Synchronization

/// Plays a power cut over one flat folder.
///
/// It sees each system call before it happens and keeps what a disk keeps for sure: of each file the content as of its
/// last sync, of the folder the names as of its last sync. From a chosen call on every call fails, as if the process
/// were gone. Then `cut` puts the folder into a state that a power cut may leave: of unsynced sectors some are new,
/// some old, some zero; of the unsynced changes of names some first ones have happened, or none, or all.
package final class PowerCut: Sendable {
    private let folder: String
    private let deathCall: Int
    private let state: Mutex<State>

    private typealias Names = [String: UInt64]

    private struct State {
        var calls = 0
        /// By inode; each is held open, so that no number is used again.
        var files: [UInt64: HeldFile] = [:]
        /// The names since the last sync of the folder, that one first.
        var history: [Names] = []
    }

    /// Takes what is in the folder as being on the disk.
    ///
    /// - Parameter deathCall: The call, counted from 1, that is the first not to happen.
    package init(folder: String, deathCall: Int) {
        self.folder = folder
        self.deathCall = deathCall
        state = Mutex(State())
        state.withLock { state in
            observe(&state)
            for inode in state.files.keys { state.files[inode]?.sync() }
        }
    }

    /// System calls that pass through here, in the first boot of the played machine.
    package func system(bootID: String) -> SystemCalls { SystemCalls(hook: { self.response($0) }, bootID: bootID) }

    /// Whether the process lived on to its end.
    package var survived: Bool { state.withLock { $0.calls < deathCall } }

    private func response(_ call: SystemCall) -> SystemCallVerdict {
        state.withLock { state in
            state.calls += 1
            guard state.calls < deathCall else { return .fail(EIO) }
            observe(&state)
            switch call {
            case .fdatasync(let path), .fsync(let path):
                let name = path.split(separator: "/").last.map(String.init) ?? ""
                if let inode = state.history.last?[name] { state.files[inode]?.sync() }
            case .fsyncFolder:
                state.history.removeFirst(state.history.count - 1)
            case .open, .close, .status, .space, .lock, .pread, .pwrite, .fallocate, .ftruncate, .syncFileRange,
                .setModified,
                .rename, .renameNoReplace, .link, .unlink, .list:
                break
            }
            // What is synced is known here: the real disk need not be waited for.
            return SystemCalls.isSync(call.kind) ? .pretend : .proceed
        }
    }

    /// Looks what the last call has changed.
    private func observe(_ state: inout State) {
        var names: Names = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let found = try? SystemCalls.live.status(atPath: folder + "/" + name) else { continue }
            let inode = found.identity.inode
            names[name] = inode
            if state.files[inode] == nil { state.files[inode] = HeldFile(path: folder + "/" + name) }
        }
        for file in state.files.values { file.noteLength() }
        if state.history.last != names { state.history.append(names) }
    }

    /// Cuts the power: the folder is then what the disk kept.
    ///
    /// Nothing may use the files any more.
    package func cut(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try state.withLock { state in
            observe(&state)
            let live = state.history.last ?? [:]
            let kept = state.history.randomElement(using: &generator) ?? [:]
            for file in Set(kept.values).sorted().compactMap({ state.files[$0] }) { file.settle(using: &generator) }
            try restore(kept, from: live, state.files)
            state = State()
        }
    }

    /// Gives the inodes that still have a name their old ones, since a partial is known by its inode; others are
    /// copied.
    private func restore(_ kept: Names, from live: Names, _ files: [UInt64: HeldFile]) throws {
        let manager = FileManager.default
        var quarantined: [UInt64: String] = [:]
        for (name, inode) in live {
            let path = folder + "/" + name
            if kept.values.contains(inode), quarantined[inode] == nil {
                quarantined[inode] = folder + "/aside-\(inode)"
                try manager.moveItem(atPath: path, toPath: folder + "/aside-\(inode)")
            } else {
                try manager.removeItem(atPath: path)
            }
        }
        for (name, inode) in kept {
            let path = folder + "/" + name
            if let there = quarantined.removeValue(forKey: inode) {
                try manager.moveItem(atPath: there, toPath: path)
            } else {
                try Data(files[inode]?.content ?? []).write(to: URL(fileURLWithPath: path))
            }
        }
    }
}
