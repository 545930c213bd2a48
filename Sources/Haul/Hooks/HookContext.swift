public import HaulCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What happened, as a hook is told it: by environment variables, and as this value in JSON on its standard input.
///
/// What is not known, or means nothing for the event, is nil: its variable is not set and its JSON field missing. No secret is in it.
public struct HookContext: Hashable, Sendable, Codable {
    /// What happened: `HAUL_EVENT`.
    public var event: HookEvent
    /// The download: `HAUL_ID`.
    public var id: DownloadID?
    /// The caller's identity for it: `HAUL_KEY`.
    public var key: String?
    /// Where it comes from, without credentials: `HAUL_URL`.
    public var url: String?
    /// Where the file is or will be: `HAUL_PATH`.
    public var path: String?
    /// The size of the file in bytes: `HAUL_BYTES`.
    public var totalBytes: Int64?
    /// Why it failed: `HAUL_ERROR` as a sentence, `HAUL_ERROR_CODE` as a code.
    public var error: DownloadError?
    /// The caller's label for downloads that belong together: `HAUL_GROUP`.
    public var group: String?
    /// The caller's own labels, sorted: `HAUL_TAGS`, with commas between them.
    public var tags: [String]
    /// When it happened; in JSON for a hook an RFC 3339 time in UTC with milliseconds.
    public var time: Date

    /// Makes what a hook is told when nothing runs and nothing waits any more.
    public static func idle(time: Date) -> HookContext {
        HookContext(event: .idle, tags: [], time: time)
    }

    /// Makes what a hook is told of an event, or nil where no hook is run on such an event.
    ///
    /// - Parameter snapshot: The download as it is after the event.
    public init?(_ event: DownloadEvent, snapshot: DownloadSnapshot) {
        guard let hookEvent = HookEvent(event.kind) else { return nil }
        self.init(event: hookEvent, tags: snapshot.spec.tags.sorted(), time: event.time)
        id = event.download
        key = snapshot.key
        url = snapshot.spec.url
        path = snapshot.path
        // Before the server has responded, only a name that the caller chose is known.
        if path == nil, case .file(let chosen) = snapshot.spec.destination { path = chosen }
        totalBytes = snapshot.progress.totalBytes
        group = snapshot.spec.group
        take(event.kind)
    }

    private init(event: HookEvent, tags: [String], time: Date) {
        self.event = event
        self.tags = tags
        self.time = time
    }

    /// The event is about one instant, the snapshot may be younger: what the event says counts.
    private mutating func take(_ kind: DownloadEvent.Kind) {
        switch kind {
        case .started(let facts):
            path = facts.path
            totalBytes = facts.totalBytes ?? totalBytes
        case .finished(let facts):
            path = facts.path
            totalBytes = facts.totalBytes
        case .failed(let cause):
            error = cause
        case .snapshot, .progress, .added, .waiting, .notice, .paused, .resumed, .sourceReplaced, .cancelled, .removed,
            .changed:
            break
        }
    }
}

extension HookEvent {
    /// Makes the event that hooks know a download's event by, or nil where hooks are not run on it.
    package init?(_ kind: DownloadEvent.Kind) {
        switch kind {
        case .added: self = .added
        case .started: self = .started
        case .finished: self = .completed
        case .failed: self = .failed
        case .snapshot, .progress, .waiting, .notice, .paused, .resumed, .sourceReplaced, .cancelled, .removed,
            .changed:
            return nil
        }
    }
}
