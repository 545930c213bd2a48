import AsyncHTTPClient
package import Haul
import HaulCore
import HaulWire
package import Logging
package import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends events to a webhook, in order, one message at a time; downloads never wait for it.
///
/// At most 1,000 messages wait; after that, the oldest one is dropped for each new one. Waiting messages are lost when
/// the process ends.
///
///     receive -> HookQueue -> run() -> attempts, by WebhookPolicy -> one log line if it failed
package final class WebhookSender: Sendable {
    private struct State {
        var queue: HookQueue<HookNotification>
        var dropped = 0
        var counters = WebhookCounters()
    }

    private let client: WebhookClient
    private let receiver: String
    private let hookEvents: Set<HookEvent>
    private let secret: WebhookSecret?
    private let policy: WebhookPolicy
    private let logger: Logger
    private let state: Mutex<State>
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// Makes a sender, which does nothing before `run()`.
    package init(
        _ settings: WebhookSettings, secret: WebhookSecret?, client: WebhookClient,
        policy: WebhookPolicy = WebhookPolicy(), limit: Int = 1000, logger: Logger
    ) {
        (self.client, self.secret, self.policy, self.logger) = (client, secret, policy, logger)
        (receiver, hookEvents) = (settings.url.origin.description, settings.on)
        state = Mutex(State(queue: HookQueue(limit: limit)))
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The messages that were not delivered since the start.
    package var counters: WebhookCounters { state.withLock { $0.counters } }

    /// The listener that a manager sends events to.
    package var listener: HookListener { HookListener(on: hookEvents) { self.receive($0) } }

    /// Adds an event to the queue; never waits.
    package func receive(_ hookEvent: HookNotification) {
        let isFirstDropped = state.withLock { state in
            guard state.queue.add(hookEvent) != nil else { return false }
            state.dropped += 1
            state.counters.dropped += 1
            return state.dropped == 1
        }
        // One line for any number: the total follows with the next message that is delivered.
        if isFirstDropped { log(.warning, "webhook too slow: dropping the oldest messages") }
        signal.yield()
    }

    /// Accepts no more events: `run()` returns when the waiting messages have been delivered.
    package func finish() { signal.finish() }

    /// Delivers messages until its task is cancelled, or until all are delivered after `finish()`.
    ///
    /// Call it once.
    ///
    /// - Parameter group: The event loops that serve the connections.
    package func run(on group: any EventLoopGroup) async {
        let http = client.open(on: group)
        for await _ in signals {
            while !Task.isCancelled, let hookEvent = state.withLock({ $0.queue.take() }) {
                await deliver(hookEvent, by: http)
                state.withLock { $0.queue.end() }
            }
        }
        let left = state.withLock { $0.queue.close().count }
        if left > 0 { log(.warning, "queued webhook messages not delivered", ["messages": "\(left)"]) }
        try? await http.shutdown()
    }

    private func deliver(_ hookEvent: HookNotification, by http: HTTPClient) async {
        var random = SystemRandomNumberGenerator()
        guard let data = try? WireJSON.encode(WebhookMessage(hookEvent)) else { return }
        // The same in all attempts: receivers use it to recognize duplicates.
        let (body, id) = (Array(data), "msg_" + String(UInt64.random(in: .min ... .max, using: &random), radix: 36))
        var attempt = 1
        while true {
            let now = Int64(Date.now.timeIntervalSince1970)
            let response = await client.post(body, headers: headers(id, now, body), by: http)
            switch policy.verdict(on: response, attempt: attempt, now: now, using: &random) {
            case .delivered: return delivered()
            case .givenUp(let reason): return failed(hookEvent, reason)
            case .again(let wait):
                guard (try? await Task.sleep(for: wait)) != nil else { return failed(hookEvent, "the daemon stopped") }
                attempt += 1
            }
        }
    }

    /// Returns the headers of the Standard Webhooks specification; without a secret there is no signature.
    private func headers(_ id: String, _ timestamp: Int64, _ body: [UInt8]) -> [(String, String)] {
        let signature = secret.map { ("webhook-signature", $0.signature(id: id, timestamp: timestamp, body: body)) }
        return [("webhook-id", id), ("webhook-timestamp", "\(timestamp)")] + [signature].compactMap(\.self)
    }

    private func delivered() {
        let dropped = state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
        if dropped > 0 { log(.warning, "webhook works again", ["dropped": "\(dropped)"]) }
    }

    private func failed(_ hookEvent: HookNotification, _ reason: String) {
        state.withLock { $0.counters.failed += 1 }
        log(
            .warning, "webhook message not delivered",
            [
                "on": "\(hookEvent.hookEvent.rawValue)", "download": "\(hookEvent.event?.download.description ?? "-")",
                "reason": "\(reason)",
            ])
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ more: Logger.Metadata = [:]) {
        logger.log(level: level, message, metadata: more.merging(["receiver": "\(receiver)"]) { $1 })
    }
}

/// The messages to a webhook that were not delivered.
package struct WebhookCounters: Hashable, Sendable {
    /// The number of messages that were given up.
    package var failed = 0
    /// The number of messages that were dropped because too many were waiting.
    package var dropped = 0

    /// Makes counters that are 0.
    package init() {}
}
