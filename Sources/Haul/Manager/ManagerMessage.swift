import HaulCore
import HaulFiles

/// What a manager's loop hears from its runs and timers.
enum ManagerMessage: Sendable {
    /// A run has something to tell.
    case told(DownloadID, TransferEvent)
    /// The disk lacks so many bytes for a run.
    case shortage(DownloadID, MissingRoom)
    /// A run is over.
    case ended(DownloadID, Result<FinishFacts, DownloadError>)
    /// File work is over.
    case choreDone(DownloadID, DownloadError?)
    /// Begin file work.
    case chore(DownloadID, FileChore)
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
enum FileChore: Sendable {
    /// Partial and journal go.
    case discard(DownloadSpec, RunOptions)
    /// They and the finished file go, where there is one.
    case delete(DownloadSpec, RunOptions, finished: FinishFacts?)
}

/// A download that waits for room.
struct Shortage {
    var room: MissingRoom
    var folder: String
    /// Before this it is not tried again, whatever is free.
    var earliest: ContinuousClock.Instant
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
