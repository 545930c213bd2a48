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

/// An element of the daemon's event stream.
package enum DaemonEvent: Hashable, Sendable {
    /// An event of a download.
    case download(DownloadEvent)
    /// The number of downloads in each state, if it was requested.
    case summary(SummaryMessage)
    /// The state must be read again: the stream could not continue from the requested number.
    case reset(lastEvent: Int64)
}

/// The events of a daemon.
///
/// Each iteration is a stream of its own. It fails with `connectionFailed` when the daemon ends. To continue, subscribe
/// again after the number of the last numbered event.
package struct DaemonEvents: AsyncSequence, Sendable {
    /// An event.
    package typealias Element = DaemonEvent
    /// The error that ends the stream.
    package typealias Failure = DownloadError

    let client: DaemonClient
    let query: [(String, String)]

    /// Returns an iterator, which subscribes when the first event is requested.
    package func makeAsyncIterator() -> Iterator { Iterator(client: client, query: query) }

    /// A subscription.
    package struct Iterator: AsyncIteratorProtocol {
        private let client: DaemonClient
        private let query: [(String, String)]
        private var body: HTTPClientResponse.Body.AsyncIterator?
        private var reader = EventStreamReader()
        private var ready: [DaemonEvent] = []

        init(client: DaemonClient, query: [(String, String)]) { (self.client, self.query) = (client, query) }

        /// Returns the next event; nil if its task is cancelled or the daemon has ended the stream.
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(DownloadError) -> DaemonEvent? {
            while ready.isEmpty {
                guard let part = try await part(isolation: actor) else { return nil }
                for message in reader.read(part) {
                    if let event = try Self.event(message) { ready.append(event) }
                }
            }
            return ready.removeFirst()
        }

        /// The daemon writes something at least every 15 s.
        private static let silence = Duration.seconds(20)

        private mutating func part(isolation actor: isolated (any Actor)?) async throws(DownloadError) -> [UInt8]? {
            if body == nil {
                let response = try await client.begin(.GET, APIPath.events, query, isStream: true)
                guard response.status == .ok else {
                    let data = (try? await response.body.collect(upTo: 1 << 20)).map { Data($0.readableBytesView) }
                    throw DaemonClient.failure(data ?? Data(), status: Int(response.status.code))
                }
                body = response.body.makeAsyncIterator()
            }
            let watch = client.watch(for: Self.silence)
            defer { watch?.cancel() }
            do {
                return try await body?.next(isolation: actor).map { Array($0.readableBytesView) }
            } catch {
                throw client.gone(error)
            }
        }

        /// Decodes an event.
        ///
        /// Events that this version does not know are ignored, as the document requires.
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
    /// Returns the events of the daemon.
    ///
    /// - Parameters:
    ///   - after: Replay every numbered event after this number; nil for the present state of running downloads first,
    ///     then new events.
    ///   - until: End after the event with this number.
    ///   - tag: Only events of downloads with this tag, and removals of downloads that are unknown by now.
    ///   - interval: The interval between two progress events of one download, 0.1 to 60 s.
    ///   - progress: True to include progress.
    ///   - summary: True to include the summary.
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
