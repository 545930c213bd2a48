import HaulCore
import HaulEngine
import HaulFiles
import HaulLibC
import HaulStore

/// The state in memory of a download that has a run, or whose files are being removed.
struct LiveDownload {
    /// The effects that follow when the file work is done.
    struct Cleanup {
        var rest: [Lifecycle.Effect]
    }

    var lifecycle: Lifecycle
    let spec: DownloadSpec
    let limiter: RateLimiter
    let stop = OneShotEvent()
    let slot = QueueSlot()
    let watch = TransferWatch()
    /// The output path, as far as it is recorded in the catalogue.
    let placed = OutputRecord()
    var cleanup: Cleanup?
    /// The time when the run or the file work began.
    let began: ContinuousClock.Instant
    /// The newest progress, reported or not.
    var progress: TransferProgress
    /// True if the run has ended and its bytes are counted.
    var isCounted = false
    /// The time of the last progress event.
    var reportedProgress: ContinuousClock.Instant?
    /// The time when progress was last recorded in the catalogue.
    var noted: ContinuousClock.Instant
    /// The reason why the run waits, if it does.
    var wait: WaitReason?
    /// The error or the facts that the run ended with.
    var failure: DownloadError?
    var finish: FinishFacts?
    /// The disk space that was missing, if the run ended for that reason.
    var shortage = MissingRoom.unknown
    /// True if the run was stopped because the network has become expensive or constrained.
    var leavesMetered = false
    /// The output path, once it is known.
    var path: String?
}

extension LiveDownload {
    /// Creates the state for a record.
    init(_ record: StoredRecord, spec: DownloadSpec, _ clock: TimeSource) {
        began = clock.now
        noted = began
        lifecycle = Lifecycle(record.state, hasBegun: record.hasBegun)
        self.spec = spec
        limiter = RateLimiter(bytesPerSecond: spec.rateLimit, clock: clock)
        progress = TransferProgress(fileBytes: record.doneBytes, totalBytes: record.totalBytes)
        path = record.targetPath
    }

    /// True if the download leaves the list once its run has ended and its files are removed.
    var isBeingRemoved: Bool {
        if case .stopping(.remove) = lifecycle.run { return true }
        return cleanup?.rest.contains { if case .forget = $0 { true } else { false } } ?? false
    }
}

extension RunOptions {
    /// Creates options with the results of earlier runs of a download.
    init(_ record: StoredRecord) {
        self.init()
        targetPath = record.targetPath
        published = record.fileID
        publishedBytes = record.totalBytes
        earlier = record.lastFinish
        replacedSources = record.replacedSources
    }

    /// Creates the options for the next run of a download.
    init(
        _ record: StoredRecord, _ live: LiveDownload, _ catalogue: Catalogue, _ mailbox: Mailbox<ManagerMessage>
    ) {
        self.init(record)
        slot = QueueRunSlot(slot: live.slot, id: record.id, mailbox: mailbox)
        isOthers = { [id = record.id] path in
            // If the catalogue can't be read, the file is treated as another download's, and not overwritten.
            do throws(DownloadError) { return try catalogue.isPlace(path, ofOtherThan: id) } catch { return true }
        }
        limiter = live.limiter
        watch = live.watch
        let (id, placed) = (record.id, live.placed)
        onShortage = { mailbox.post(.shortage(id, $0)) }
        onNaming = { path, total, file in
            mailbox.recordBlocking(RunOutput(path: path, totalBytes: total, file: file), of: id, placed)
        }
        onNamingSmall = { path, total, file in
            await mailbox.record(RunOutput(path: path, totalBytes: total, file: file), of: id, placed)
        }
        // A download that has run may have a partial file.
        expectsSmall = !record.hasBegun
    }
}
