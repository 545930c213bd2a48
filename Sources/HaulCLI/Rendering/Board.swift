import HaulCore

/// The active downloads, and the totals of all downloads.
struct Board: Sendable {
    /// The active downloads, in order.
    private(set) var active: [ActiveDownload] = []
    private var endedBytes: Int64 = 0
    /// The bytes of downloads that ended before they had a speed, as small ones do.
    private var quickBytes: Int64 = 0
    private var quickSpeed = SpeedMeter()
    /// The number of downloads on the command line, or nil if it is known only at the end of a list.
    private let expected: Int?
    private var givenAdvice: Set<String> = []

    init(expected: Int?) {
        self.expected = expected
    }

    /// True if the run has, or may have, more than one download.
    var several: Bool { expected != 1 }

    /// Records an event and returns the download's new state.
    mutating func take(_ event: TransferEvent, of job: GetJob, at now: Duration) -> ActiveDownload {
        guard let index = active.firstIndex(where: { $0.job.id == job.id }) else {
            begin(job)
            return take(event, of: job, at: now)
        }
        active[index].take(event, at: now)
        let download = active[index]
        switch event {
        case .started, .progress, .waiting, .notice:
            break
        case .finished(let facts):
            endedBytes = endedBytes.saturatingSum(facts.totalBytes)
            if download.progress?.speed ?? 0 == 0 { quickBytes = quickBytes.saturatingSum(facts.sessionBytes) }
            active.remove(at: index)
        case .failed:
            active.remove(at: index)
        }
        return download
    }

    /// Returns the line for a failed download.
    mutating func failure(_ error: DownloadError, of download: ActiveDownload) -> String {
        EventText.failed(
            error, name: download.name, path: download.started?.path, of: download.job, given: &givenAdvice)
    }

    mutating func begin(_ job: GetJob) {
        active.append(ActiveDownload(job: job))
    }

    /// Returns the line under the bars.
    mutating func total(_ tally: Tally, at now: Duration) -> Row {
        quickSpeed.add(quickBytes, at: now)
        let bytes = active.reduce(endedBytes) { $0.saturatingSum($1.fileBytes) }
        let size = totalBytes(tally)
        let progress = TransferProgress(fileBytes: bytes, totalBytes: size)
        let speed = active.reduce(quickSpeed.speed) { $0 + ($1.waiting == nil ? $1.progress?.speed ?? 0 : 0) }
        guard let size, let fraction = progress.fraction else { return counted(tally, bytes: bytes, speed: speed) }
        var row = Row(name: "total \(tally.ended)/\(tally.ended + active.count)", gauge: .filled(fraction))
        row.bytes = bytes
        row.totalBytes = size
        row.speed = speed
        row.secondsLeft = speed >= 1 ? max(0, Double(size) - Double(bytes)) / speed : nil
        row.connections = active.reduce(0) { $0 + ($1.waiting == nil ? $1.progress?.connections ?? 0 : 0) }
        return row
    }

    /// Returns the total size, if all sizes are known: a percentage that was shown must never shrink.
    private func totalBytes(_ tally: Tally) -> Int64? {
        guard let expected, tally.ended + active.count == expected else { return nil }
        var sum = endedBytes
        for download in active {
            guard let size = download.totalBytes else { return nil }
            sum = sum.saturatingSum(size)
        }
        return sum
    }

    private func counted(_ tally: Tally, bytes: Int64, speed: Double) -> Row {
        var facts = ["\(tally.complete)\(expected.map { " of \($0)" } ?? "") complete", RowText.speed(speed)]
        if tally.failed > 0 { facts.append("\(tally.failed) failed") }
        facts.append(ByteCount.string(bytes))
        return Row(name: "total", gauge: .facts(facts))
    }
}
