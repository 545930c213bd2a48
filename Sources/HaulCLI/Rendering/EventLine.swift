import HaulCore
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A line of `haul get --json`: an event as in the daemon's API, and what identifies the download on the command line.
struct EventLine: Encodable {
    private let message: EventMessage
    private let url: String?
    private let list: String?
    private let line: Int?
    private let exitCode: ExitCode?

    /// Creates the line of a download's event.
    ///
    /// - Parameter number: The number of the event in this run; progress has that of the last event before.
    init(_ event: TransferEvent, of job: GetJob, number: Int64, time: Date) {
        let kind: DownloadEvent.Kind
        var code: ExitCode?
        switch event {
        case .started(let facts): kind = .started(facts)
        case .progress(let progress): kind = .progress(progress)
        case .waiting(let reason, let seconds):
            kind = .waiting(reason, until: time.addingTimeInterval(WaitText.duration(seconds) / .seconds(1)))
        case .notice(let notice): kind = .notice(notice)
        case .finished(let facts): kind = .finished(facts)
        case .failed(let error): (kind, code) = (.failed(error), ExitCode(error.code))
        }
        message = EventMessage(
            DownloadEvent(number: number, download: DownloadID(rawValue: Int64(job.id)), time: time, kind: kind))
        (url, list, line, exitCode) = (job.shownURL, nil, job.line, code)
    }

    /// Creates the line of an entry of a list that can't be used: a failure without a URL.
    init(_ bad: BadLine, number: Int64, time: Date) {
        let error = DownloadError(.invalidRequest, bad.message)
        message = EventMessage(
            DownloadEvent(
                number: number, download: DownloadID(rawValue: Int64(bad.id)), time: time, kind: .failed(error)))
        (url, list, line, exitCode) = (nil, bad.list, bad.line, .invalidRequest)
    }

    private enum CodingKeys: String, CodingKey {
        case url, list, line, exitCode
    }

    func encode(to encoder: any Encoder) throws {
        try message.redacted.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(url, forKey: .url)
        try values.encodeIfPresent(list, forKey: .list)
        try values.encodeIfPresent(line, forKey: .line)
        try values.encodeIfPresent(exitCode?.rawValue, forKey: .exitCode)
    }
}

/// The last line of `haul get --json`.
struct SummaryLine: Encodable {
    private let event = "summary"
    private let complete: Int
    private let kept: Int
    private let failed: Int
    private let stopped: Int
    private let bytes: Int64
    private let seconds: Double
    private let exitCode: Int32

    /// Creates the line of a run that has ended.
    init(_ tally: Tally, _ closing: Closing) {
        (complete, kept, failed, stopped) = (tally.complete, tally.kept, tally.failed, tally.stopped)
        (bytes, seconds) = (tally.bytes, closing.seconds)
        exitCode = tally.exitCode(stop: closing.stop).rawValue
    }
}
