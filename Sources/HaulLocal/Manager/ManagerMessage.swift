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
    /// The folders that it removes files from.
    var folders: [String] {
        switch self {
        case .discard(let spec, let options), .delete(let spec, let options, _):
            spec.folders(targetPath: options.targetPath)
        }
    }
}

/// File work waiting to be started: each job uses a thread, so only a few may run at once.
struct CleanupJobQueue {
    /// The maximum number of running jobs.
    static let limit = 8

    private var waiting: [(DownloadID, CleanupJob)] = []
    private var first = 0
    private var running = 0

    /// Adds a job.
    mutating func add(_ cleanup: CleanupJob, of id: DownloadID) { waiting.append((id, cleanup)) }

    /// Returns the job that may start now, if any.
    mutating func next() -> (DownloadID, CleanupJob)? {
        guard running < Self.limit, first < waiting.count else { return nil }
        defer {
            first += 1
            if first == waiting.count { (waiting, first) = ([], 0) }
        }
        running += 1
        return waiting[first]
    }

    /// Records that a job has ended.
    mutating func end() { running -= 1 }
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
    /// The host of the URL.
    var host: String?
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
