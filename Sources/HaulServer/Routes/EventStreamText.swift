package import HaulCore
package import HaulWire

/// What is written to one stream of events, and when: pure, the time being counted in ticks.
package struct EventStreamText: Sendable {
    private let options: EventOptions
    /// The newest progress of each download that was not told yet.
    private var waiting: [DownloadID: DownloadEvent] = [:]
    private var reportedSummary: SummaryMessage?
    private var silent = Duration.zero

    /// How long a stream is silent at most.
    package static let maxSilence = Duration.seconds(15)

    /// Begins a stream.
    package init(_ options: EventOptions) { self.options = options }

    /// What stands at the beginning: how long a reader should wait before it connects again.
    package var opening: String { "retry: 2000\n\n" }

    /// Says that what was asked for can't be replayed; nothing where it can.
    package func reset(lastEvent: Int64?) throws(DownloadError) -> String {
        guard let lastEvent else { return "" }
        return try text("reset", nil, ResetMessage(lastEvent: lastEvent))
    }

    /// Tells an event; progress waits for the next tick.
    package mutating func event(_ event: DownloadEvent) throws(DownloadError) -> String {
        if case .progress = event.kind {
            if options.progress { waiting[event.download] = event }
            return ""
        }
        var before = ""
        if event.kind.endsRun, let last = waiting.removeValue(forKey: event.download) {
            // How far it was stands before the end, and never behind it.
            before = try progress(last)
        }
        silent = .zero
        let message = EventMessage(event)
        return before + (try text(message.event.rawValue, event.kind.isNumbered ? event.number : nil, message))
    }

    /// An interval has passed: tells what is newest.
    package mutating func tick(summary: SummaryMessage?) throws(DownloadError) -> String {
        var result = ""
        for event in waiting.values.sorted(by: { $0.download < $1.download }) { result += try progress(event) }
        waiting = [:]
        if let summary, summary != reportedSummary {
            reportedSummary = summary
            result += try text("summary", nil, summary)
        }
        silent += options.interval
        if !result.isEmpty { silent = .zero }
        guard silent >= Self.maxSilence else { return result }
        silent = .zero
        return ":\n\n"
    }

    private func progress(_ event: DownloadEvent) throws(DownloadError) -> String {
        try text(EventName.progress.rawValue, nil, EventMessage(event))
    }

    /// One event; the JSON has no line break, since those in texts are escaped.
    private func text(_ name: String, _ number: Int64?, _ message: some Encodable) throws(DownloadError) -> String {
        let data = String(decoding: try WireJSON.encode(message), as: UTF8.self)
        return (number.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data)\n\n"
    }
}

/// Where a stream of events begins.
struct EventStart: Equatable {
    /// The number after which events are told; nil: from now on, the present state first.
    var since: Int64?
    /// The number to tell with a reset, where it can't begin where it was asked to.
    var reset: Int64?
}

extension EventStart {
    /// Decides: what was never given, or is not kept any more, can't be gone on from.
    ///
    /// - Parameters:
    ///   - after: What was asked for; nil: from now on.
    ///   - last: Reads the number of the last event.
    ///   - first: Reads the number of the oldest event that is kept. It is read after `last`: what is added to an empty list meanwhile is
    ///     told, where the other order would take it for an event that is not kept any more.
    init(after: Int64?, last: () async -> Int64, first: () async -> Int64?) async {
        guard let after else { return }
        let last = await last()
        var isKept = after == last
        if after < last { isKept = await first().map { $0 <= after + 1 } ?? false }
        (since, reset) = isKept ? (after, nil) : (last, last)
    }
}
