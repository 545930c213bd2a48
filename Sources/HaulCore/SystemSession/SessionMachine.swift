/// Decides what a manager does with the system's transfer service, whose tasks outlive the process.
///
/// One event in, effects out. Nothing is assumed about the order of what the system reports: calls may come late, twice,
/// for tasks of an earlier process, or before it is known which tasks there are. These hold whatever happens:
///
/// - Each run has exactly one end.
/// - A download has one task at most that anything is expected of; any other is cancelled.
/// - A file is used only for the source that it came from, and a download that has a file needs no task.
/// - What a download has received is kept, as a file, a task or resume data, until the download has finished, is
///   discarded, or has another source.
///
/// The states of a download:
///
///               run, data                    delivered                  checked
///      none ───────────────► held (a task) ────────────► delivered ──► checking ───► none, the run has ended
///       ▲                     │  ▲ opened (relaunch)          ▲ opened       │ stopped
///       │ resume data,        │                               └──────────────┘
///       └──────────────── stopping ◄── stop
package struct SessionMachine: Sendable {
    /// What there is of a download.
    package enum Work: Hashable, Sendable {
        /// No task and no file; there may be resume data.
        case none
        /// A task is being created.
        case starting
        /// The system has a task.
        case held(SystemTaskID)
        /// The system has a task that is being cancelled; its resume data are to come.
        case stopping(SystemTaskID)
        /// There is a file that is not verified.
        case delivered
        /// The run verifies the file, or looks whether it has been published.
        case checking(hasFile: Bool)
    }

    struct Entry: Hashable, Sendable {
        /// The source of everything that there is.
        var source: String
        var work = Work.none
        var hasResumeData = false
        var run: Run?
    }

    /// A run of the manager.
    struct Run: Hashable, Sendable {
        var policy: RetryPolicy
        /// The number of attempts in a row without progress.
        var attempts = 0
        /// The bytes of the file at the last report, and at the beginning of the attempt.
        var received: Int64 = 0
        var attemptBegan: Int64 = 0
        /// True if the run was asked to stop.
        var isStopping = false
    }

    var entries: [DownloadID: Entry] = [:]
    /// The tasks that were cancelled for good: nothing that they report counts.
    var cancelled: Set<SystemTaskID> = []
    /// The tasks that ended before it was known which tasks there are.
    var endedEarly: Set<SystemTaskID> = []
    var isOpened = false
    /// True if the system has delivered all events that it kept, and waits for an answer.
    var owesAnswer = false
    /// Resume data beside a file, or of another source than the file.
    var surplusResumeData: Set<DownloadID> = []

    /// Creates a machine for what an earlier process has left.
    package init(files: [DownloadID: String] = [:], resumeData: [DownloadID: String] = [:]) {
        for (id, source) in files { entries[id] = Entry(source: source, work: .delivered) }
        for (id, source) in resumeData {
            if entries[id] == nil {
                entries[id] = Entry(source: source, hasResumeData: true)
            } else {
                surplusResumeData.insert(id)
            }
        }
    }

    /// The downloads that there is something of.
    package var downloads: Set<DownloadID> { Set(entries.keys) }

    /// Returns what there is of a download.
    package func work(_ id: DownloadID) -> Work { entries[id]?.work ?? .none }

    /// True if there are resume data of a download.
    package func hasResumeData(_ id: DownloadID) -> Bool { entries[id]?.hasResumeData ?? false }

    /// Returns true if a download has a run.
    package func hasRun(_ id: DownloadID) -> Bool { entries[id]?.run != nil }
}

extension SessionMachine {
    /// What the list says of a download.
    package enum Standing: Hashable, Sendable, CaseIterable {
        /// It is to be downloaded.
        case wanted
        /// It is not to be downloaded now; what was received is kept.
        case kept
        /// It has finished, was discarded, or is not in the list.
        case gone
    }

    /// A task as the system lists it at launch.
    package struct HeldTask: Hashable, Sendable {
        /// The task.
        package var id: SystemTaskID
        /// Its label; nil if it is not one of Haul's.
        package var label: SessionLabel?
        /// The number of bytes received.
        package var received: Int64

        /// Creates the value.
        package init(id: SystemTaskID, label: SessionLabel?, received: Int64) {
            (self.id, self.label, self.received) = (id, label, received)
        }
    }

    /// What happens.
    package enum Event: Hashable, Sendable {
        /// The tasks that the system has, and what the list says of all downloads that there is something of.
        case opened([HeldTask], [DownloadID: Standing])
        /// The manager wants a download to run.
        ///
        /// - Parameter mayBePublished: True if an earlier process may have published the file without recording it.
        case run(DownloadID, source: String, RetryPolicy, mayBePublished: Bool)
        /// The run of a download is to stop.
        ///
        /// - Parameter leavesTask: True if the manager is closed: the system continues.
        case stop(DownloadID, leavesTask: Bool)
        /// The system has created a task.
        case started(DownloadID, SystemTaskID)
        /// The system could not create a task.
        case notStarted(DownloadID, DownloadError)
        /// A task has received bytes: so many of the file in all.
        case progress(SystemTaskID, SessionLabel, received: Int64, total: Int64?)
        /// A task has delivered a file that `takes` had accepted.
        case delivered(SystemTaskID, SessionLabel, Delivery)
        /// A task has ended.
        case completed(SystemTaskID, SessionLabel, Completion, Standing)
        /// A cancelled task has returned its resume data, or nothing.
        case resumeData(SystemTaskID, isThere: Bool)
        /// The verification of a file has ended.
        case checked(DownloadID, CheckEnd)
        /// Whatever there is of a download, which has no run, is to be removed.
        case discard(DownloadID)
        /// The system has delivered all events that it kept while the process did not run.
        case eventsDelivered
    }

    /// The file of a task.
    package enum Delivery: Hashable, Sendable {
        /// It is in the folder of the session.
        case kept
        /// It is of no use, and not kept.
        case unusable(DownloadError, DeliveryVerdict.Again)
    }

    /// The end of a task.
    package enum Completion: Hashable, Sendable {
        /// It is complete; its file was delivered before.
        case success
        /// It failed, or was cancelled by the system or the user.
        case failure(DownloadError, hasResumeData: Bool)
    }

    /// The end of a verification.
    package enum CheckEnd: Hashable, Sendable {
        /// The file has its name.
        case finished
        /// It was stopped.
        case stopped
        /// There is neither a file nor a published one.
        case missing
        /// It failed.
        case failed(DownloadError)
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        /// Have the system create a task; `started` or `notStarted` follows.
        case start(DownloadID, source: String, fromResumeData: Bool, after: Duration)
        /// Cancel a task.
        case cancel(SystemTaskID)
        /// Cancel a task and ask for its resume data; `resumeData` follows.
        case cancelKeeping(SystemTaskID)
        /// Store the resume data that came with the event.
        case storeResumeData(DownloadID, source: String)
        /// Delete the resume data.
        case dropResumeData(DownloadID)
        /// Delete the file.
        case dropFile(DownloadID)
        /// Verify the file and give it its name; `checked` follows.
        case check(DownloadID)
        /// Stop the verification.
        case stopCheck(DownloadID)
        /// Report progress of the run.
        case report(DownloadID, received: Int64, total: Int64?)
        /// Report that the run waits for its next attempt.
        case reportWait(DownloadID, DownloadError, attempt: Int, Duration)
        /// End the run.
        case end(DownloadID, RunEnd)
        /// Tell the system that its events are handled.
        case answer
    }

    /// The end of a run.
    package enum RunEnd: Hashable, Sendable {
        /// The file has its name.
        case finished
        /// It was stopped.
        case stopped
        /// It failed.
        case failed(DownloadError)
    }
}
