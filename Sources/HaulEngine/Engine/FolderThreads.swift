import HaulCore
import Synchronization

/// Threads for work that looks at the folders of commands, a few for each disk.
///
/// A disk that does not respond then stops its own commands and no others, however many there are.
package final class FolderThreads: Sendable {
    /// The threads of this process.
    package static let shared = FolderThreads()

    /// The maximum number of threads for one disk; further work waits.
    static let most = 4

    private struct Disk {
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let disks = Mutex<[String: Disk]>([:])
    private let mounts: MountCache

    /// Creates threads for the disks of a list of mounts.
    init(mounts: MountCache = MountCache()) { self.mounts = mounts }

    /// Runs work that looks at a folder, and returns its value.
    ///
    /// - Parameter folder: An absolute path, by which the disk is found. Links are not followed for that.
    package func run<Value: Sendable>(at folder: String, _ work: @escaping @Sendable () -> Value) async -> Value {
        let disk = mounts.mount(of: folder, at: .now)?.device ?? ""
        await enter(disk)
        defer { leave(disk) }
        return await BlockingQueue(label: "haul.folders").run(work)
    }

    private func enter(_ disk: String) async {
        await withCheckedContinuation { continuation in
            let isFree = disks.withLock { disks in
                guard disks[disk, default: Disk()].running < Self.most else {
                    disks[disk]?.waiting.append(continuation)
                    return false
                }
                disks[disk, default: Disk()].running += 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the thread to the work that has waited longest.
    private func leave(_ disk: String) {
        let next = disks.withLock { disks -> CheckedContinuation<Void, Never>? in
            if let waiting = disks[disk]?.waiting, !waiting.isEmpty { return disks[disk]?.waiting.removeFirst() }
            disks[disk]?.running -= 1
            if disks[disk]?.running == 0 { disks[disk] = nil }
            return nil
        }
        next?.resume()
    }
}
