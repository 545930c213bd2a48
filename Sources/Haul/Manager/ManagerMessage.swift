import HaulCore
import HaulFiles

/// What a manager's loop hears from its runs and timers.
enum ManagerMessage: Sendable {
    /// A run has something to tell.
    case emitted(DownloadID, TransferEvent)
    /// The disk lacks so many bytes for a run.
    case shortage(DownloadID, MissingRoom)
    /// A run waits for its next attempt, and gives its slot away.
    case parked(DownloadID)
    /// A run that gave its slot away is to continue.
    case returning(DownloadID)
    /// A run is over.
    case ended(DownloadID, Result<FinishFacts, DownloadError>)
    /// File work is over.
    case cleanupDone(DownloadID, DownloadError?)
    /// Begin file work.
    case cleanup(DownloadID, CleanupJob)
    /// The free room of the folders in which downloads wait for some.
    case space([String: Int64])
    /// Tell the person.
    case notify(DownloadNotification)
    /// A time has come.
    case alarm(Alarm)
    /// Look what is due.
    case wake
}

/// File work that a manager has done for a download that does not run.
enum CleanupJob: Sendable {
    /// Partial and journal go.
    case discard(DownloadSpec, RunOptions)
    /// They and the finished file go, where there is one.
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

/// File work that waits for its turn: each piece has a thread of its own, so only a few may be under way at once.
struct CleanupJobQueue {
    /// The most that are under way at once.
    static let limit = 8

    private var waiting: [(DownloadID, CleanupJob)] = []
    private var first = 0
    private var running = 0

    /// Adds work.
    mutating func add(_ cleanup: CleanupJob, of id: DownloadID) { waiting.append((id, cleanup)) }

    /// The work that may begin now, if any.
    mutating func next() -> (DownloadID, CleanupJob)? {
        guard running < Self.limit, first < waiting.count else { return nil }
        defer {
            first += 1
            if first == waiting.count { (waiting, first) = ([], 0) }
        }
        running += 1
        return waiting[first]
    }

    /// Some work is over.
    mutating func end() { running -= 1 }
}

/// A download that waits for room.
struct Shortage {
    var room: MissingRoom
    var folder: String
    /// Before this it is not tried again, whatever is free.
    var earliest: ContinuousClock.Instant
    /// Whether it waits for file descriptors, and not for room.
    var isOfFiles = false
}

/// Something that a manager does at a time.
enum Alarm: Hashable, Sendable {
    /// A not-before time, in milliseconds since 1970.
    case start(Int64)
    /// The catalogue is asked again for what it could not record.
    case record
    /// The disk is looked at.
    case space
    /// The activity signal may change.
    case signal(Duration)
}
