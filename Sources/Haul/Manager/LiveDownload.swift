import HaulCore
import HaulFiles
import HaulStore

/// What a manager holds in memory of a download that has a run, or whose files are being removed.
struct LiveDownload {
    /// What is to be done when the file work is over.
    struct Cleanup {
        var rest: [Lifecycle.Effect]
    }

    var lifecycle: Lifecycle
    let spec: DownloadSpec
    let limiter: RateLimiter
    let stop = OneShotEvent()
    let slot = QueueSlot()
    let watch = TransferWatch()
    /// What the catalogue knows of the place of its run.
    let placed = OutputRecord()
    var cleanup: Cleanup?
    /// When its run or its file work began.
    let began = ContinuousClock.now
    /// The newest progress, told or not.
    var progress: TransferProgress
    /// When progress was told last.
    var reportedProgress: ContinuousClock.Instant?
    /// When the catalogue was told last how far it is.
    var noted = ContinuousClock.now
    /// Why the run waits, while it does.
    var wait: WaitReason?
    /// What it ended with.
    var failure: DownloadError?
    var finish: FinishFacts?
    /// How much room was missing on the disk, if it ended for that.
    var shortage = MissingRoom.unknown
    /// The place, once it is known.
    var path: String?
}

extension LiveDownload {
    /// What begins with a record.
    init(_ record: StoredRecord, spec: DownloadSpec) {
        lifecycle = Lifecycle(record.state)
        self.spec = spec
        limiter = RateLimiter(bytesPerSecond: spec.rateLimit)
        progress = TransferProgress(fileBytes: record.doneBytes, totalBytes: record.totalBytes)
        path = record.targetPath
    }
}

extension RunOptions {
    /// What earlier runs of a download have left to know.
    init(_ record: StoredRecord) {
        self.init()
        targetPath = record.targetPath
        published = record.fileID
        publishedBytes = record.totalBytes
        earlier = record.lastFinish
        replacedSources = record.replacedSources
    }

    /// What the next run of a download is told.
    init(
        _ record: StoredRecord, _ live: LiveDownload, _ catalogue: Catalogue, _ mailbox: Mailbox<ManagerMessage>
    ) {
        self.init(record)
        // The network may come back while a list is worked off.
        retriesUnreachable = true
        slot = QueueRunSlot(slot: live.slot, id: record.id, mailbox: mailbox)
        isOthers = { [id = record.id] path in
            // What can't be told is spared.
            do throws(DownloadError) { return try catalogue.isPlace(path, ofOtherThan: id) } catch { return true }
        }
        limiter = live.limiter
        watch = live.watch
        let (id, placed) = (record.id, live.placed)
        onShortage = { mailbox.post(.shortage(id, $0)) }
        onNaming = { path, total, file in
            placed.end(RunOutput(path: path, totalBytes: total, file: file)) { change in
                // What can't be recorded is told by the end of the run, unless the process is killed before.
                (try? catalogue.apply([RecordChange(id, change)], events: [])) != nil
            }
        }
    }
}
