import HaulCore

/// A download that has started and not ended, with its latest state.
struct ActiveDownload: Hashable, Sendable {
    let job: GetJob
    var started: StartFacts?
    var progress: TransferProgress?
    var waiting: Waiting?
    /// True if the server sends only the whole file, so that existing bytes can only be compared.
    var isCompared = false

    /// A current wait.
    struct Waiting: Hashable, Sendable {
        var reason: WaitReason
        var until: Duration
        /// The file's bytes when the wait began: the wait is over when there are more.
        var bytes: Int64
    }

    init(job: GetJob) {
        self.job = job
    }

    var name: String { started.map { GetJob.name(ofPath: $0.path) } ?? job.name }
    var fileBytes: Int64 { progress?.fileBytes ?? started?.resumedBytes ?? 0 }
    var totalBytes: Int64? { progress?.totalBytes ?? started?.totalBytes }
    var insecure: Bool { started?.insecure ?? false }

    /// Records an event that does not end the download.
    mutating func take(_ event: TransferEvent, at now: Duration) {
        switch event {
        case .started(let facts):
            // A second run of the same download begins as the first one did.
            (started, progress, waiting) = (facts, nil, nil)
        case .progress(let progress):
            self.progress = progress
            if let waiting, progress.fileBytes > waiting.bytes { self.waiting = nil }
        case .waiting(let reason, let seconds):
            waiting = Waiting(reason: reason, until: now + WaitText.duration(seconds), bytes: fileBytes)
        case .notice(let notice):
            if notice == .rangesIgnored { isCompared = true }
        case .finished, .failed:
            break
        }
    }

    /// Returns the row that shows the download.
    func row(at now: Duration) -> Row {
        var row = Row(name: name, gauge: gauge(at: now))
        row.insecure = insecure
        row.bytes = fileBytes
        row.totalBytes = totalBytes
        row.speed = progress?.speed
        row.secondsLeft = progress?.secondsLeft
        row.connections = progress?.connections ?? 0
        return row
    }

    private func gauge(at now: Duration) -> Row.Gauge {
        if let waiting { return .words(WaitText.text(waiting.reason, left: waiting.until - now)) }
        guard started != nil else { return .words("connecting") }
        let progress = progress ?? TransferProgress(fileBytes: fileBytes, totalBytes: totalBytes)
        guard let fraction = progress.fraction else { return .moving(step: Int(now / .milliseconds(100))) }
        return .filled(fraction)
    }
}
