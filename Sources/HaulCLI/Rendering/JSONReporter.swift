import HaulCore
import HaulWire

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Reports events for programs, as lines of JSON on standard output.
///
/// `JSONReporter.table` documents them.
package struct JSONReporter: Reporter {
    /// The minimum time between two progress lines of one download.
    package static let interval = Duration.seconds(1)
    /// The backlog in bytes from which progress is left out for a slow reader; other events are always written.
    package static let backlog = 256 * 1024

    /// The events and their fields, as shown by the help.
    package static let table = """
          started   start: path, totalBytes (missing: unknown), resumedBytes,
                    insecure
          progress  progress: fileBytes, sessionBytes, totalBytes, speed,
                    averageSpeed, secondsLeft, connections; at most once a
                    second
          waiting   wait: reason, message, until; status for "serverAsked",
                    limit for "connections", attempt and error for "retrying"
          notice    notice: notice, such as "sourceChanged" or "badPieces",
                    with reason, connections, url, pieces, header or host
          finished  finish: path, totalBytes, sessionBytes, seconds, kept,
                    verification (by: "checksum" with checksum and from:
                    "given", "header" or "file"; else by: "pieces",
                    "sizeAndDate", "size" or "nothing")
          failed    error: code, message, cause, optional detail, such as
                    "certificateExpired"; and exitCode; for an invalid line
                    of a list also list and line, without url
          summary   complete, kept (existing files), failed, stopped,
                    bytes, seconds, exitCode; the last line, without the others
        """

    private var pending = ""
    private var due: [Int: Duration] = [:]
    /// The number of events so far, without progress.
    private var number: Int64 = 0
    private let clock: @Sendable () -> Date

    /// Makes the reporter of a run.
    package init(clock: @escaping @Sendable () -> Date = { Date() }) { self.clock = clock }

    package mutating func take(_ report: Report, tally: Tally, at now: Duration) {
        switch report {
        case .listed, .began, .cutShort, .log: break
        case .event(let job, let event): take(event, of: job, at: now)
        case .badLine(let bad):
            number += 1
            add(EventLine(bad, number: number, time: clock()))
        case .closed(let closing): add(SummaryLine(tally, closing))
        }
    }

    private mutating func take(_ event: TransferEvent, of job: GetJob, at now: Duration) {
        switch event {
        case .started, .waiting, .notice:
            number += 1
        case .progress:
            guard now >= due[job.id] ?? .zero, pending.utf8.count < Self.backlog else { return }
            due[job.id] = now + Self.interval
        case .finished, .failed:
            number += 1
            due[job.id] = nil
        }
        add(EventLine(event, of: job, number: number, time: clock()))
    }

    private mutating func add(_ line: some Encodable) {
        // Events have no numbers that JSON can't represent: speeds and times are finite.
        pending += (try? WireJSON.line(line)) ?? ""
    }

    package mutating func output(at now: Duration, window: WindowSize) -> Output {
        var output = Output()
        output.standardOutput = pending
        pending = ""
        return output
    }
}
