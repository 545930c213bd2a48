package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Who is told, inside this package, of the occasions that hook commands are run on.
package struct HookListener: Sendable {
    /// What it is told of.
    package var on: Set<HookEvent>
    /// Is called in the manager's funnel, in order: it has to return at once.
    package var receive: @Sendable (HookNotification) -> Void

    /// Makes a listener.
    package init(on: Set<HookEvent>, receive: @escaping @Sendable (HookNotification) -> Void) {
        (self.on, self.receive) = (on, receive)
    }
}

/// An occasion, with what the manager knows at that instant.
package struct HookNotification: Sendable {
    /// What happened.
    package var hookEvent: HookEvent
    /// When.
    package var time: Date
    /// The event; nil for `idle`, which is no download's.
    package var event: DownloadEvent?
    /// The download as it is after the event; nil for `idle`.
    package var snapshot: DownloadSnapshot?

    /// Makes an occasion.
    package init(
        _ hookEvent: HookEvent, time: Date, event: DownloadEvent? = nil, snapshot: DownloadSnapshot? = nil
    ) {
        (self.hookEvent, self.time, self.event, self.snapshot) = (hookEvent, time, event, snapshot)
    }
}
