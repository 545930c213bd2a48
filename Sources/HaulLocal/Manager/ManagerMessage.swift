import Dispatch
import HaulCore
import HaulEngine
import HaulFiles

/// A message to a manager's loop from its runs and timers.
enum ManagerMessage: Sendable {
    /// A run sent an event.
    case emitted(DownloadID, TransferEvent)
    /// A run is about to give its file the final name, and waits until that is recorded.
    case naming(DownloadID, RunOutput, OutputWaiter)
    /// A run lacks disk space.
    case shortage(DownloadID, MissingRoom)
    /// A run waits for its next attempt, and gives up its slot meanwhile.
    case parked(DownloadID)
    /// A run that gave up its slot wants to continue.
    case returning(DownloadID)
    /// A run has ended.
    case ended(DownloadID, Result<FinishFacts, DownloadError>)
    /// File work has ended.
    case cleanupDone(DownloadID, DownloadError?)
    /// File work is to be started.
    case cleanup(DownloadID, CleanupJob)
    /// The free space of the folders in which downloads wait for space.
    case space([String: Int64])
    /// A notification is to be sent to the user.
    case notify(DownloadNotification)
    /// The network has changed.
    case networkChanged
    /// A look for the network has ended.
    case lookedForNetwork(isThere: Bool)
    /// The list was written to the disk, or could not be.
    case synced(DownloadError?)
    /// An alarm went off.
    case alarm(Alarm)
    /// The loop is to check what is due.
    case wake
}

/// A run that waits until its output is recorded.
enum OutputWaiter: Sendable {
    case task(CheckedContinuation<Void, Never>)
    case thread(DispatchSemaphore)

    /// Lets the run continue.
    func resume() {
        switch self {
        case .task(let continuation): continuation.resume()
        case .thread(let semaphore): semaphore.signal()
        }
    }
}

/// File work for a download that does not run.
enum CleanupJob: Sendable {
    /// Remove the partial file and journal.
    case discard(DownloadSpec, RunOptions)
    /// Remove these and the finished file, if it exists.
    case delete(DownloadSpec, RunOptions, finished: FinishFacts?)
}

extension CleanupJob {
    /// The download whose files are removed.
    var spec: DownloadSpec {
        switch self {
        case .discard(let spec, _), .delete(let spec, _, _): spec
        }
    }

    /// The folders that it removes files from.
    var folders: [String] {
        switch self {
        case .discard(let spec, let options), .delete(let spec, let options, _):
            spec.folders(targetPath: options.targetPath)
        }
    }
}

/// File work waiting to be started: each job uses a thread, so only a few may run at once for each disk.
///
/// The jobs of a disk that does not respond don't keep those of other disks waiting.
struct CleanupJobQueue {
    /// The maximum number of running jobs for one disk.
    static let limit = 8

    private struct Disk {
        var waiting: [(DownloadID, CleanupJob)] = []
        var first = 0
        var running = 0
    }

    private var disks: [String: Disk] = [:]
    private var running: [DownloadID: String] = [:]

    /// Adds a job.
    ///
    /// - Parameter disk: The disk with the files; the same text for all whose disk is unknown.
    mutating func add(_ cleanup: CleanupJob, of id: DownloadID, on disk: String) {
        disks[disk, default: Disk()].waiting.append((id, cleanup))
    }

    /// Returns the jobs that may start now.
    mutating func due() -> [(DownloadID, CleanupJob)] {
        var due: [(DownloadID, CleanupJob)] = []
        for (name, var disk) in disks {
            while disk.running < Self.limit, disk.first < disk.waiting.count {
                due.append(disk.waiting[disk.first])
                running[disk.waiting[disk.first].0] = name
                disk.first += 1
                disk.running += 1
            }
            if disk.first == disk.waiting.count { (disk.waiting, disk.first) = ([], 0) }
            disks[name] = disk.running > 0 ? disk : nil
        }
        return due
    }

    /// Records that the job of a download has ended.
    mutating func end(_ id: DownloadID) {
        if let name = running.removeValue(forKey: id) { disks[name]?.running -= 1 }
    }
}

/// A download that waits for disk space, file descriptors, the network, or another kind of network.
struct Shortage {
    /// The thing that is missing.
    enum Kind { case space, files, network, metered }

    var room: MissingRoom
    var folder: String
    /// The earliest time of the next attempt, whatever is free.
    var earliest: ContinuousClock.Instant
    var kind = Kind.space
    /// The hosts of which one must be reachable, if a network is missing.
    var hosts: Set<String> = []
}

/// A reason for waking the manager's loop at a given time.
enum Alarm: Hashable, Sendable {
    /// A not-before time, in milliseconds since 1970.
    case start(Int64)
    /// Retry what the catalogue could not record.
    case record
    /// Check the free space.
    case space
    /// The activity signal may change.
    case signal(Duration)
    /// Write the list to the disk.
    case sync
}
