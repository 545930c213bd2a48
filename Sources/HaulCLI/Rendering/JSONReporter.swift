import HaulCore

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
          started   path, totalBytes (null: unknown), resumedBytes, insecure
          progress  fileBytes, sessionBytes, totalBytes, speed, averageSpeed,
                    secondsLeft, connections; at most once a second
          waiting   reason, seconds; status for "serverAsked", limit for
                    "connections", attempt and error (code, message, cause) for
                    "retrying"
          notice    notice: "partialQuarantined" with reason, "sourceChanged",
                    "rangesIgnored", "fewerConnections" with connections,
                    "sourceExcluded" with source and reason, "badPieces" with
                    pieces, "headerDigestWrong" with header and host,
                    "webPage"
          finished  path, totalBytes, sessionBytes, seconds, kept,
                    verified (null: no checksum available), verification
                    (by: "checksum" with from: "given", "header", "file" and
                    source; else by: "sizeAndDate", "size", "nothing")
          failed    code, message, cause, exitCode, optional detail, such as
                    "certificateExpired"; for an invalid line of a list also
                    list and line, and url is null
          summary   complete, kept (existing files), failed, stopped,
                    bytes, seconds, exitCode; the last line, without url and id
        """

    private var pending = ""
    private var due: [Int: Duration] = [:]

    /// Makes the reporter of a run.
    package init() {}

    package mutating func take(_ report: Report, tally: Tally, at now: Duration) {
        switch report {
        case .listed, .began, .cutShort, .log: break
        case .event(let job, let event): take(event, of: job, at: now)
        case .badLine(let bad): add(EventJSON.badLine(bad))
        case .closed(let closing): add(EventJSON.summary(tally, closing: closing))
        }
    }

    private mutating func take(_ event: TransferEvent, of job: GetJob, at now: Duration) {
        switch event {
        case .started, .waiting, .notice:
            break
        case .progress:
            guard now >= due[job.id] ?? .zero, pending.utf8.count < Self.backlog else { return }
            due[job.id] = now + Self.interval
        case .finished, .failed:
            due[job.id] = nil
        }
        add(EventJSON.event(event, of: job))
    }

    private mutating func add(_ object: JSONObject) {
        pending += object.text + "\n"
    }

    package mutating func output(at now: Duration, window: WindowSize) -> Output {
        var output = Output()
        output.standardOutput = pending
        pending = ""
        return output
    }
}
