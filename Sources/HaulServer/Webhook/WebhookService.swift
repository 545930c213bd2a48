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

/// Delivers while the daemon works, and for a short while after: the first of the services leaves last, when the list is closed.
struct WebhookService: Service {
    let sender: WebhookSender
    let group: any EventLoopGroup

    /// How long what waits may still take; the daemon has three seconds in all.
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

/// What a webhook is told: an occasion, the event as the stream of events has it, and the download as the API shows it.
package struct WebhookMessage: Hashable, Sendable, Codable {
    /// What happened, by the names of hook commands.
    package var on: HookEvent
    /// When.
    package var time: Date
    /// The event; missing with `idle`, which is no download's.
    package var event: EventMessage?
    /// The download, without secrets; missing with `idle`.
    package var download: DownloadMessage?

    /// Tells an occasion.
    package init(_ reported: HookNotification) {
        (on, time) = (reported.hookEvent, reported.time)
        (event, download) = (reported.event.map { EventMessage($0) }, reported.snapshot.map { DownloadMessage($0) })
    }
}
