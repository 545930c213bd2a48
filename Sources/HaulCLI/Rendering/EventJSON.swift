import HaulCore

/// Events as JSON objects; the fields are named as in the Swift types.
enum EventJSON {
    static func event(_ event: TransferEvent, of job: GetJob) -> JSONObject {
        switch event {
        case .started(let facts): started(facts, of: job)
        case .progress(let progress): self.progress(progress, of: job)
        case .waiting(let reason, let seconds): waiting(reason, seconds: seconds, of: job)
        case .notice(let notice): self.notice(notice, of: job)
        case .finished(let facts): finished(facts, of: job)
        case .failed(let error): failed(error, of: job)
        }
    }

    static func badLine(_ bad: BadLine) -> JSONObject {
        var object = JSONObject()
        object.add("event", "failed")
        object.add("url", String?.none)
        object.add("id", bad.id)
        add(DownloadError(.invalidRequest, bad.message), to: &object)
        object.add("exitCode", Int(ExitCode.invalidRequest.rawValue))
        object.add("list", bad.list)
        object.add("line", bad.line)
        return object
    }

    static func summary(_ tally: Tally, closing: Closing) -> JSONObject {
        var object = JSONObject()
        object.add("event", "summary")
        object.add("complete", tally.complete)
        object.add("kept", tally.kept)
        object.add("failed", tally.failed)
        object.add("stopped", tally.stopped)
        object.add("bytes", tally.bytes)
        object.add("seconds", closing.seconds)
        object.add("exitCode", Int(tally.exitCode(stop: closing.stop).rawValue))
        return object
    }

    private static func begin(_ name: String, _ job: GetJob) -> JSONObject {
        var object = JSONObject()
        object.add("event", name)
        object.add("url", job.shownURL)
        object.add("id", job.id)
        if let line = job.line { object.add("line", line) }
        return object
    }

    private static func started(_ facts: StartFacts, of job: GetJob) -> JSONObject {
        var object = begin("started", job)
        object.add("path", facts.path)
        object.add("totalBytes", facts.totalBytes)
        object.add("resumedBytes", facts.resumedBytes)
        object.add("insecure", facts.insecure)
        return object
    }

    private static func progress(_ progress: TransferProgress, of job: GetJob) -> JSONObject {
        var object = begin("progress", job)
        object.add("fileBytes", progress.fileBytes)
        object.add("sessionBytes", progress.sessionBytes)
        object.add("totalBytes", progress.totalBytes)
        object.add("speed", progress.speed)
        object.add("averageSpeed", progress.averageSpeed)
        object.add("secondsLeft", progress.secondsLeft)
        object.add("connections", progress.connections)
        return object
    }

    private static func waiting(_ reason: WaitReason, seconds: Double, of job: GetJob) -> JSONObject {
        var object = begin("waiting", job)
        object.add("reason", reason.name)
        switch reason {
        case .turn(let limit), .host(_, let limit), .connections(_, let limit): object.add("limit", limit)
        case .space(let bytes): object.add("bytes", bytes)
        case .start, .notBefore, .credentials, .openFiles: break
        case .serverAsked(let status): object.add("status", status)
        case .linkExpired(let error):
            var inner = JSONObject()
            add(error, to: &inner)
            object.add("error", inner)
        case .retrying(let error, let attempt):
            object.add("attempt", attempt)
            var inner = JSONObject()
            add(error, to: &inner)
            object.add("error", inner)
        }
        object.add("seconds", seconds)
        return object
    }

    private static func notice(_ notice: Notice, of job: GetJob) -> JSONObject {
        var object = begin("notice", job)
        switch notice {
        case .partialQuarantined(let reason):
            object.add("notice", "partialQuarantined")
            object.add("reason", reason)
        case .sourceChanged: object.add("notice", "sourceChanged")
        case .rangesIgnored: object.add("notice", "rangesIgnored")
        case .fewerConnections(let count):
            object.add("notice", "fewerConnections")
            object.add("connections", count)
        case .sourceExcluded(let url, let reason):
            object.add("notice", "sourceExcluded")
            object.add("source", url)
            object.add("reason", reason)
        case .badPieces(let count):
            object.add("notice", "badPieces")
            object.add("pieces", count)
        case .headerDigestWrong(let header, let host):
            object.add("notice", "headerDigestWrong")
            object.add("header", header)
            object.add("host", host)
        case .webPage: object.add("notice", "webPage")
        }
        return object
    }

    private static func finished(_ facts: FinishFacts, of job: GetJob) -> JSONObject {
        var object = begin("finished", job)
        object.add("path", facts.path)
        object.add("totalBytes", facts.totalBytes)
        object.add("sessionBytes", facts.sessionBytes)
        object.add("seconds", facts.seconds)
        object.add("verified", facts.verified?.description)
        object.add("kept", facts.kept)
        object.add("verification", verification(facts.verification))
        return object
    }

    /// Returns the proof of a verified file.
    static func verification(_ verification: Verification) -> JSONObject {
        var object = JSONObject()
        object.add("by", verification.name)
        if case .checksum(_, let origin) = verification {
            object.add("from", origin.name)
            object.add("source", origin.detail)
        }
        return object
    }

    private static func failed(_ error: DownloadError, of job: GetJob) -> JSONObject {
        var object = begin("failed", job)
        add(error, to: &object)
        object.add("exitCode", Int(ExitCode(error.code).rawValue))
        return object
    }

    private static func add(_ error: DownloadError, to object: inout JSONObject) {
        object.add("code", error.code.rawValue)
        object.add("message", error.message)
        object.add("cause", error.cause)
        if let detail = error.detail { object.add("detail", detail.rawValue) }
    }
}
