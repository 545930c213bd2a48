package import HaulCore
package import HaulWire

/// The text of one stream of events.
///
/// A pure function of events and ticks of the clock.
package struct EventStreamText: Sendable {
    private let options: EventOptions
    /// The latest unsent progress of each download.
    private var waiting: [DownloadID: DownloadEvent] = [:]
    private var reportedSummary: SummaryMessage?
    private var silent = Duration.zero
    /// The time since progress was sent.
    private var collected = Duration.zero

    /// The maximum time without output.
    package static let maxSilence = Duration.seconds(15)

    /// The time between two ticks: an interval may be longer than the silence that clients accept.
    package var tickInterval: Duration { min(options.interval, Self.maxSilence) }

    /// Starts a stream.
    package init(_ options: EventOptions) { self.options = options }

    /// The start of the stream: the time in milliseconds after which a client should reconnect.
    package var opening: String { "retry: 2000\n\n" }

    /// Returns the text that reports that events can't be replayed; empty if they can.
    package func reset(lastEvent: Int64?) throws(DownloadError) -> String {
        guard let lastEvent else { return "" }
        return try text("reset", nil, ResetMessage(lastEvent: lastEvent))
    }

    /// Returns the text of an event; progress waits for the next tick.
    package mutating func event(_ event: DownloadEvent) throws(DownloadError) -> String {
        if case .progress = event.kind {
            if options.progress { waiting[event.download] = event }
            return ""
        }
        var before = ""
        if event.kind.endsRun, let last = waiting.removeValue(forKey: event.download) {
            // The last progress comes before the end of the run, never after it.
            before = try progress(last)
        }
        silent = .zero
        let message = EventMessage(event)
        return before + (try text(message.event.rawValue, event.kind.isNumbered ? event.number : nil, message))
    }

    /// Returns the text due after a tick: the latest progress and summary, if an interval has passed.
    package mutating func tick(summary: SummaryMessage?) throws(DownloadError) -> String {
        var result = ""
        collected += tickInterval
        if collected >= options.interval {
            collected = .zero
            for event in waiting.values.sorted(by: { $0.download < $1.download }) { result += try progress(event) }
            waiting = [:]
            if let summary, summary != reportedSummary {
                reportedSummary = summary
                result += try text("summary", nil, summary)
            }
        }
        silent += tickInterval
        if !result.isEmpty { silent = .zero }
        guard silent >= Self.maxSilence else { return result }
        silent = .zero
        return ":\n\n"
    }

    private func progress(_ event: DownloadEvent) throws(DownloadError) -> String {
        try text(EventName.progress.rawValue, nil, EventMessage(event))
    }

    /// Formats one event; the JSON has no line breaks, because those in texts are escaped.
    private func text(_ name: String, _ number: Int64?, _ message: some Encodable) throws(DownloadError) -> String {
        let data = String(decoding: try WireJSON.encode(message), as: UTF8.self)
        return (number.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data)\n\n"
    }
}

/// The start of a stream of events.
struct EventStart: Equatable {
    /// The number after which events are sent; nil means new events only, after the current state.
    var since: Int64?
    /// The number to send with a reset, if the requested start is not available.
    var reset: Int64?
}

extension EventStart {
    /// Decides the start: an unknown number, or one whose events are no longer stored, requires a reset.
    ///
    /// - Parameters:
    ///   - after: The requested number; nil means new events only.
    ///   - last: Reads the number of the last event.
    ///   - first: Reads the number of the oldest stored event. It is read after `last`: an event added to an empty list
    ///     meanwhile is then sent, while in the other order it would seem to be no longer stored.
    init(after: Int64?, last: () async -> Int64, first: () async -> Int64?) async {
        guard let after else { return }
        let last = await last()
        var isKept = after == last
        if after < last { isKept = await first().map { $0 <= after + 1 } ?? false }
        (since, reset) = isKept ? (after, nil) : (last, last)
    }
}
