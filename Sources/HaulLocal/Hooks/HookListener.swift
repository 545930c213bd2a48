package import HaulCore
package import HaulManager

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A listener within this package, for the same events as hook commands.
package struct HookListener: Sendable {
    /// The events to report.
    package var on: Set<HookEvent>
    /// Called while the manager commits changes, in order: it must return at once.
    package var receive: @Sendable (HookNotification) -> Void

    /// Creates a listener.
    package init(on: Set<HookEvent>, receive: @escaping @Sendable (HookNotification) -> Void) {
        (self.on, self.receive) = (on, receive)
    }
}

/// An event, with the manager's knowledge at that time.
package struct HookNotification: Sendable {
    /// The kind of event.
    package var hookEvent: HookEvent
    /// The time of the event.
    package var time: Date
    /// The event; nil for `idle`, which belongs to no download.
    package var event: DownloadEvent?
    /// The download as it is after the event; nil for `idle`.
    package var snapshot: DownloadSnapshot?

    /// Creates a notification.
    package init(
        _ hookEvent: HookEvent, time: Date, event: DownloadEvent? = nil, snapshot: DownloadSnapshot? = nil
    ) {
        (self.hookEvent, self.time, self.event, self.snapshot) = (hookEvent, time, event, snapshot)
    }
}
