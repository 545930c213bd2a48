public import HaulCore
public import HaulManager

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event as passed to a hook: in environment variables, and as this value in JSON on its standard input.
///
/// A value that is unknown or meaningless for the event is nil: its variable is not set and its JSON field is missing.
/// It contains no secrets.
public struct HookContext: Hashable, Sendable, Codable {
    /// The event: `HAUL_EVENT`.
    public var event: HookEvent
    /// The download: `HAUL_ID`.
    public var id: DownloadID?
    /// The caller's key for the download: `HAUL_KEY`.
    public var key: String?
    /// The URL of the source, without credentials: `HAUL_URL`.
    public var url: String?
    /// The present or future path of the file: `HAUL_PATH`.
    public var path: String?
    /// The size of the file in bytes: `HAUL_BYTES`.
    public var totalBytes: Int64?
    /// The error of a failed download: `HAUL_ERROR` as a sentence, `HAUL_ERROR_CODE` as a code.
    public var error: DownloadError?
    /// The caller's group of downloads that belong together: `HAUL_GROUP`.
    public var group: String?
    /// The caller's tags, sorted: `HAUL_TAGS`, with commas between them.
    public var tags: [String]
    /// The time of the event; in JSON for a hook an RFC 3339 time in UTC with milliseconds.
    public var time: Date

    /// Creates the context of the idle event, when nothing is running or due to start any more.
    public static func idle(time: Date) -> HookContext {
        HookContext(event: .idle, tags: [], time: time)
    }

    /// Creates the context of an event, or nil if hooks are not run on such an event.
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

    /// Takes the values of the event, which take precedence: the snapshot may be newer.
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
    /// Converts a download's event, or returns nil if hooks are not run on it.
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
