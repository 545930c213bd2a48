import Foundation
package import HaulFiles
import HaulTestData
import Synchronization

/// Simulates a power failure in one flat folder.
///
/// The simulation sees each system call before it happens and records what a disk is guaranteed to keep: the content of
/// each file at its last sync, and the names in the folder at its last sync. From a chosen call on, every call fails,
/// as if the process had died. Then `cut` puts the folder into a state that a power failure may leave: some unsynced
/// sectors are new, some old, some zero; of the unsynced changes of names the first few have happened, or none, or all.
package final class PowerCut: Sendable {
    private let folder: String
    private let deathCall: Int
    private let state: Mutex<State>

    private typealias Names = [String: UInt64]

    private struct State {
        var calls = 0
        /// The files by inode; each is held open, so that no inode number is reused.
        var files: [UInt64: HeldFile] = [:]
        /// The names at the last sync of the folder, and after each change since.
        var history: [Names] = []
    }

    /// Takes the folder's content as being on the disk.
    ///
    /// - Parameter deathCall: The first call that fails, counted from 1.
    package init(folder: String, deathCall: Int) {
        self.folder = folder
        self.deathCall = deathCall
        state = Mutex(State())
        state.withLock { state in
            observe(&state)
            for inode in state.files.keys { state.files[inode]?.sync() }
        }
    }

    /// Returns system calls that pass through this object, in the first boot of the simulated machine.
    package func system(bootID: String) -> SystemCalls { SystemCalls(hook: { self.response($0) }, bootID: bootID) }

    /// True if the process ran to its end.
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
            case .open, .close, .status, .space, .lock, .pread, .pwrite, .fallocate, .ftruncate, .punch, .syncFileRange,
                .compareWithDisk, .setModified, .rename, .renameNoReplace, .link, .unlink, .list:
                break
            }
            // Syncs are recorded here, so the real disk need not be waited for.
            return SystemCalls.isSync(call.kind) ? .pretend : .proceed
        }
    }

    /// Records what the last call has changed.
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

    /// Simulates the power failure: the folder then has the content that the disk kept.
    ///
    /// Files in the folder must not be in use any more.
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

    /// Restores the old inodes of files that still have a name, since a partial file is identified by its inode; other
    /// files are copied.
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
