import HaulCore

@testable import HaulCLI

/// A run in the hands of a test: reports go in, text comes out, and time is a number.
struct Scene {
    var reporter: any Reporter
    var tally = Tally()
    var now = Duration.zero
    var window = WindowSize(columns: 60, rows: 24)

    init(_ reporter: any Reporter) {
        self.reporter = reporter
    }

    static func job(_ id: Int, _ url: String) throws -> GetJob {
        GetJob(id: id, url: try SourceURL(parsing: url))
    }

    mutating func take(_ report: Report, at seconds: Double? = nil) {
        if let seconds { now = .milliseconds(Int(seconds * 1000)) }
        tally.take(report)
        reporter.take(report, tally: tally, at: now)
    }

    mutating func output(at seconds: Double? = nil) -> Output {
        if let seconds { now = .milliseconds(Int(seconds * 1000)) }
        return reporter.output(at: now, window: window)
    }

    static func progress(_ bytes: Int64, of total: Int64?, speed: Double = 1024) -> TransferEvent {
        let left = total.map { Double($0 - bytes) / speed }
        return .progress(
            TransferProgress(
                fileBytes: bytes, sessionBytes: bytes, totalBytes: total, speed: speed, averageSpeed: speed,
                secondsLeft: left, connections: 2))
    }

    static func started(_ path: String, _ total: Int64?, insecure: Bool = false) -> TransferEvent {
        .started(StartFacts(path: path, totalBytes: total, resumedBytes: 0, insecure: insecure))
    }

    static func finished(_ path: String, _ total: Int64, seconds: Double = 2) -> TransferEvent {
        .finished(
            FinishFacts(
                path: path, totalBytes: total, sessionBytes: total, seconds: seconds, verified: nil, kept: false))
    }

    static func closing(_ stop: StopReason? = nil, resumes: Bool = true) -> Report {
        .closed(Closing(stop: stop, seconds: 14, resumes: resumes, onConflict: .fail))
    }
}
