import HTTPTypes
import HaulCore

/// How a caller wants a stream of events.
package struct EventOptions: Sendable {
    /// The number after which events are replayed; nil: from now on.
    package var after: Int64?
    /// The number behind whose event the stream ends; nil: it goes on.
    package var until: Int64?
    /// Only events of downloads with one of these tags; nil: of all.
    package var tags: Set<String>?
    /// Between two progress events of one download, and between two summaries.
    package var interval = Duration.milliseconds(500)
    /// Whether progress is told.
    package var progress = true
    /// Whether the summary is told.
    package var summary = false

    /// Makes those of a stream from now on.
    package init() {}

    /// Reads a request; `Last-Event-ID` comes before the query.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    init(_ request: APIRequest) throws(DownloadError) {
        after = try request.number("after", 0...Int64.max)
        if let name = HTTPField.Name("Last-Event-ID"), let text = request.head.headerFields[name], !text.isEmpty {
            guard let number = Int64(text), number >= 0 else {
                throw DownloadError(.invalidRequest, "Last-Event-ID must be the number of an event")
            }
            after = number
        }
        until = try request.number("until", 0...Int64.max)
        tags = request.values("tag").map { Set($0) }
        interval = try request.seconds("interval", 0.1...60) ?? interval
        progress = try request.flag("progress") ?? progress
        summary = try request.flag("summary") ?? summary
    }
}
