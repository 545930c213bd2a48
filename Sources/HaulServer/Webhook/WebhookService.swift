package import Haul
import HaulCore
package import HaulWire
import NIOCore
import ServiceLifecycle

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Delivers messages while the daemon runs, and for a short time after: the first of the services stops last, when the
/// list is closed.
struct WebhookService: Service {
    let sender: WebhookSender
    let group: any EventLoopGroup

    /// The time for delivering waiting messages; the daemon has three seconds in all.
    private static let grace = Duration.milliseconds(500)

    func run() async throws {
        let (sender, group) = (sender, group)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await sender.run(on: group) }
            try? await gracefulShutdown()
            sender.finish()
            tasks.addTask { try? await Task.sleep(for: Self.grace) }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}

/// The message to a webhook: the hook event, the event as in the stream of events, and the download as in the API.
package struct WebhookMessage: Hashable, Sendable, Codable {
    /// The kind of event, by the names of hook commands.
    package var on: HookEvent
    /// The time of the event.
    package var time: Date
    /// The event; missing for `idle`, which concerns no download.
    package var event: EventMessage?
    /// The download, without secrets; missing for `idle`.
    package var download: DownloadMessage?

    /// Makes the message for a notification.
    package init(_ reported: HookNotification) {
        (on, time) = (reported.hookEvent, reported.time)
        (event, download) = (reported.event.map { EventMessage($0) }, reported.snapshot.map { DownloadMessage($0) })
    }
}
