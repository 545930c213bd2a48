import AsyncAlgorithms
import HTTPTypes
import Haul
import HaulCore
import HaulWire
import HummingbirdCore
import NIOCore

/// The stream of events (Server-Sent Events: HTML, section 9.2).
enum EventRoute {
    /// The triggers for writing to the stream.
    private enum Item: Sendable {
        case step(DownloadEvents.Step)
        case tick
        case over
    }

    /// Responds with a stream that ends when the daemon stops or the client disconnects.
    static func response(_ request: APIRequest, _ manager: DownloadManager) async throws -> Response {
        try request.allow(["after", "until", "tag", "interval", "progress", "summary"])
        let options = try EventOptions(request)
        let start = await EventStart(
            after: options.after, last: { manager.lastEventNumber }, first: { try? await manager.firstEventNumber })
        let gone = request.gone
        let body = ResponseBody { writer in
            var text = EventStreamText(options)
            try await writer.write(ByteBuffer(string: text.opening + (try text.reset(lastEvent: start.reset))))
            // A stream that ends where it begins is empty.
            if let until = options.until, until <= start.since ?? manager.lastEventNumber {
                return try await writer.finish(nil)
            }
            var members = EventMembers(options.tags)
            for await item in items(manager.events(since: start.since).steps, text.tickInterval, until: gone) {
                var written = ""
                switch item {
                case .step(.skipped(let last)):
                    // The client was slower than events are deleted.
                    members = EventMembers(options.tags)
                    try await writer.write(ByteBuffer(string: try text.reset(lastEvent: last)))
                    if let until = options.until, until <= last { return try await writer.finish(nil) }
                case .step(.event(let event)):
                    if try await members.hold(event, manager) { written = try text.event(event) }
                    if let until = options.until, event.kind.isNumbered, event.number >= until {
                        if !written.isEmpty { try await writer.write(ByteBuffer(string: written)) }
                        return try await writer.finish(nil)
                    }
                case .tick:
                    written = try text.tick(
                        summary: options.summary ? try await SystemRoutes.summary(manager) : nil)
                case .over: return try await writer.finish(nil)
                }
                if !written.isEmpty { try await writer.write(ByteBuffer(string: written)) }
            }
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close"], body: body)
    }

    private static func items(
        _ events: DownloadEvents.Steps, _ interval: Duration, until gone: EventLoopFuture<Void>
    ) -> some AsyncSequence<Item, Never> & Sendable {
        let (ends, end) = AsyncStream<Item>.makeStream()
        gone.whenComplete { _ in
            end.yield(.over)
            end.finish()
        }
        return merge(
            chain(events.map { Item.step($0) }, [Item.over].async),
            AsyncTimerSequence(interval: interval, clock: .continuous).map { _ in Item.tick }, ends)
    }
}
