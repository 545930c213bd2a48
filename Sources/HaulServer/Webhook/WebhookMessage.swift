package import Haul
import HaulCore
package import HaulWire

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

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
