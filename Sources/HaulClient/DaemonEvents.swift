import AsyncHTTPClient
package import HaulCore
package import HaulWire
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a stream of the daemon's events tells.
package enum DaemonEvent: Hashable, Sendable {
    /// Something happened to a download.
    case download(DownloadEvent)
    /// How many stand where, where that was asked for.
    case summary(SummaryMessage)
    /// What was known has to be read again: the stream could not go on from where it was asked to.
    case reset(lastEvent: Int64)
}

/// What happens at a daemon.
///
/// Each loop over it is a stream of its own. It fails with `connectionFailed` when the daemon goes: who wants to go on subscribes again, after
/// the number of the last numbered event.
package struct DaemonEvents: AsyncSequence, Sendable {
    /// An event.
    package typealias Element = DaemonEvent
    /// Why it ended.
    package typealias Failure = DownloadError

    let client: DaemonClient
    let query: [(String, String)]

    /// Subscribes, with the first look for an event.
    package func makeAsyncIterator() -> Iterator { Iterator(client: client, query: query) }

    /// One subscription.
    package struct Iterator: AsyncIteratorProtocol {
        private let client: DaemonClient
        private let query: [(String, String)]
        private var body: HTTPClientResponse.Body.AsyncIterator?
        private var reader = EventStreamReader()
        private var ready: [DaemonEvent] = []

        init(client: DaemonClient, query: [(String, String)]) { (self.client, self.query) = (client, query) }

        /// The next event; nil when its task is cancelled or the daemon has ended the stream.
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(DownloadError) -> DaemonEvent? {
            while ready.isEmpty {
                guard let part = try await part(isolation: actor) else { return nil }
                for message in reader.read(part) {
                    if let event = try Self.event(message) { ready.append(event) }
                }
            }
            return ready.removeFirst()
        }

        private mutating func part(isolation actor: isolated (any Actor)?) async throws(DownloadError) -> [UInt8]? {
            if body == nil {
                let response = try await client.begin(.GET, APIPath.events, query)
                guard response.status == .ok else {
                    let data = (try? await response.body.collect(upTo: 1 << 20)).map { Data($0.readableBytesView) }
                    throw DaemonClient.failure(data ?? Data(), status: Int(response.status.code))
                }
                body = response.body.makeAsyncIterator()
            }
            do {
                return try await body?.next(isolation: actor).map { Array($0.readableBytesView) }
            } catch {
                throw client.gone(error)
            }
        }

        /// What this version does not know is passed over, as the document asks for.
        private static func event(_ message: EventStreamReader.Message) throws(DownloadError) -> DaemonEvent? {
            let data = Data(message.data.utf8)
            switch message.event {
            case "summary": return .summary(try WireJSON.decode(SummaryMessage.self, from: data))
            case "reset": return .reset(lastEvent: try WireJSON.decode(ResetMessage.self, from: data).lastEvent)
            case let name where EventName(rawValue: name) != nil:
                return .download(try WireJSON.decode(EventMessage.self, from: data).reported)
            case _: return nil
            }
        }
    }
}

extension DaemonClient {
    /// What happens.
    ///
    /// - Parameters:
    ///   - after: Replay every numbered event after this number; nil: the present state of what runs first, then what happens from now on.
    ///   - until: End behind the event with this number.
    ///   - tag: Only those of downloads with this tag, and the removals of those that nobody knows any more.
    ///   - interval: Between two progress events of one download, 0.1 to 60 s.
    ///   - progress: Whether progress is told.
    ///   - summary: Whether the summary is told.
    package func events(
        after: Int64? = nil, until: Int64? = nil, tag: String? = nil, interval: Duration = .milliseconds(500),
        progress: Bool = true, summary: Bool = false
    ) -> DaemonEvents {
        var query = [("interval", "\(interval / .seconds(1))"), ("progress", "\(progress)"), ("summary", "\(summary)")]
        if let after { query.append(("after", "\(after)")) }
        if let until { query.append(("until", "\(until)")) }
        if let tag { query.append(("tag", tag)) }
        return DaemonEvents(client: self, query: query)
    }
}
