package import HaulCore

/// The counts of a run: downloads by result, and bytes received.
package struct Tally: Hashable, Sendable {
    /// Downloads that are complete.
    package private(set) var complete = 0
    /// Complete downloads whose file existed and was left unchanged.
    package private(set) var kept = 0
    /// Downloads that failed, including list lines that are not a URL.
    package private(set) var failed = 0
    private var stoppedJobs: Set<Int> = []
    /// True if downloads were not started because the run was stopped.
    package private(set) var cutShort = false
    /// The exit code of all failures so far, or nil.
    package private(set) var failure: ExitCode?
    /// The progress of the download that was stopped last; nil if it had not started.
    package private(set) var stoppedProgress: TransferProgress?
    /// The effect of running the same command again on that download.
    package private(set) var resumption = Resumption.nothingKept
    /// Stopped downloads that will start over because their servers do not support ranges.
    package private(set) var restarting = 0
    private var endedBytes: Int64 = 0
    private var running: [Int: TransferProgress] = [:]

    /// Makes an empty count.
    package init() {}

    /// Downloads that were stopped by the user, and have not continued.
    package var stopped: Int { stoppedJobs.count }

    /// Downloads that have ended.
    package var ended: Int { complete + failed + stopped }

    /// Bytes received in this run.
    package var bytes: Int64 {
        running.values.reduce(endedBytes) { $0.saturatingSum($1.sessionBytes) }
    }

    /// Counts one report.
    package mutating func take(_ report: Report) {
        switch report {
        case .listed, .began, .log, .closed: break
        case .badLine: fail(.invalidRequest)
        case .cutShort: cutShort = true
        case .event(let job, let event): take(event, id: job.id)
        }
    }

    /// Returns the exit code of the process.
    package func exitCode(stop: StopReason?) -> ExitCode {
        if let stop, stopped > 0 || cutShort { return stop.exitCode }
        return failure ?? .complete
    }

    private mutating func take(_ event: TransferEvent, id: Int) {
        stoppedJobs.remove(id)
        switch event {
        case .waiting, .notice:
            break
        case .started(let facts):
            let bytes = running[id]?.sessionBytes ?? 0
            running[id] = TransferProgress(
                fileBytes: facts.resumedBytes, sessionBytes: bytes, totalBytes: facts.totalBytes)
        case .progress(let progress):
            keepBytes(id, beside: progress.sessionBytes)
            running[id] = progress
        case .finished(let facts):
            complete += 1
            if facts.kept { kept += 1 }
            keepBytes(id, beside: facts.sessionBytes)
            endedBytes = endedBytes.saturatingSum(facts.sessionBytes)
            running[id] = nil
        case .failed(let error):
            let last = running.removeValue(forKey: id)
            endedBytes = endedBytes.saturatingSum(last?.sessionBytes ?? 0)
            guard error.code == .cancelled else { return fail(ExitCode(error.code)) }
            stoppedJobs.insert(id)
            if error.resumption == .lacksRanges { restarting += 1 }
            stoppedProgress = last
            resumption = error.resumption ?? .nothingKept
        }
    }

    /// Adds the bytes of an earlier run of the download, as the daemon has them, if the counter has begun again.
    private mutating func keepBytes(_ id: Int, beside bytes: Int64) {
        let last = running[id]?.sessionBytes ?? 0
        if bytes < last { endedBytes = endedBytes.saturatingSum(last) }
    }

    private mutating func fail(_ code: ExitCode) {
        failed += 1
        failure = failure == nil || failure == code ? code : .mixed
    }
}
