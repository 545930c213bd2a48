import HTTPTypes
import HaulCore

/// The options of a stream of events.
package struct EventOptions: Sendable {
    /// The number after which events are replayed; nil means only new events.
    package var after: Int64?
    /// The number of the event after which the stream ends; nil means that it does not end.
    package var until: Int64?
    /// Only events of downloads with one of these tags; nil means all downloads.
    package var tags: Set<String>?
    /// The interval between two progress events of one download, and between two summaries.
    package var interval = Duration.milliseconds(500)
    /// True if progress events are sent.
    package var progress = true
    /// True if summaries are sent.
    package var summary = false

    /// Makes the options of a stream of new events.
    package init() {}

    /// Reads a request; `Last-Event-ID` takes precedence over the query.
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
