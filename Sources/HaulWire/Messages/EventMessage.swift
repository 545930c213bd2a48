package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An event: `DownloadEvent`, with the data of its kind in fields of their own.
package struct EventMessage: Hashable, Sendable, Codable {
    /// The event's number; for `progress` and `snapshot` that of the last numbered event before.
    package var number: Int64
    /// The download of the event.
    package var download: DownloadID
    /// The time of the event.
    package var time: Date
    /// The kind of event.
    package var event: EventName
    /// With `snapshot`: the state of the download.
    package var snapshot: DownloadMessage?
    /// With `progress`: the progress.
    package var progress: TransferProgress?
    /// With `started`: the facts.
    package var start: StartMessage?
    /// With `waiting`: the reason.
    package var wait: WaitMessage?
    /// With `notice`: the notice.
    package var notice: NoticeMessage?
    /// With `paused`: the reason.
    package var pause: PauseReason?
    /// With `finished`: the facts.
    package var finish: FinishMessage?
    /// With `failed`: the error.
    package var error: DownloadError?
    /// With `cancelled`: true if the partial file is kept.
    package var keptPartial: Bool?
    /// With `removed`: the files that were removed with the record.
    package var files: RemovedFiles?

    /// Creates the message for an event.
    package init(_ reported: DownloadEvent) {
        (number, download, time, event) = (reported.number, reported.download, reported.time, EventName(reported.kind))
        switch reported.kind {
        case .snapshot(let snapshot): self.snapshot = DownloadMessage(snapshot)
        case .progress(let progress): self.progress = progress
        case .started(let facts): start = StartMessage(facts)
        case .waiting(let reason, let until): wait = WaitMessage(reason, until: until)
        case .notice(let notice): self.notice = NoticeMessage(notice)
        case .paused(let reason): pause = reason
        case .finished(let facts): finish = FinishMessage(facts)
        case .failed(let error): self.error = error
        case .cancelled(let kept): keptPartial = kept
        case .removed(let files): self.files = files
        case .added, .resumed, .sourceReplaced, .changed: break
        }
    }

    /// The event in the message.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for values that this version does not know, or that are
    ///   contradictory.
    package var reported: DownloadEvent {
        get throws(DownloadError) {
            DownloadEvent(number: number, download: download, time: time, kind: try kind)
        }
    }

    private var kind: DownloadEvent.Kind {
        get throws(DownloadError) {
            switch event {
            case .snapshot: if let snapshot { return .snapshot(try snapshot.snapshot) }
            case .progress: if let progress { return .progress(progress) }
            case .added: return .added
            case .started: if let start { return .started(start.facts) }
            case .waiting: if let wait { return .waiting(try wait.waitReason, until: wait.until) }
            case .notice: if let notice { return .notice(try notice.reported) }
            case .paused: return .paused(pause ?? .asked)
            case .resumed: return .resumed
            case .sourceReplaced: return .sourceReplaced
            case .finished: if let finish { return .finished(try finish.facts) }
            case .failed: if let error { return .failed(error) }
            case .cancelled: return .cancelled(keptPartial: keptPartial ?? false)
            case .removed: return .removed(files ?? .none)
            case .changed: return .changed
            }
            throw .unknownMessage("\"\(event.rawValue)\" without details")
        }
    }
}

/// The names of events: the `event` line of an event stream.
package enum EventName: String, Hashable, Sendable, Codable, CaseIterable {
    case snapshot, progress, added, started, waiting, notice, paused, resumed, sourceReplaced, finished, failed
    case cancelled, removed, changed

    /// Creates the name of a kind.
    package init(_ kind: DownloadEvent.Kind) {
        self =
            switch kind {
            case .snapshot: .snapshot
            case .progress: .progress
            case .added: .added
            case .started: .started
            case .waiting: .waiting
            case .notice: .notice
            case .paused: .paused
            case .resumed: .resumed
            case .sourceReplaced: .sourceReplaced
            case .finished: .finished
            case .failed: .failed
            case .cancelled: .cancelled
            case .removed: .removed
            case .changed: .changed
            }
    }
}

/// The facts known when a download starts: `StartFacts`.
package struct StartMessage: Hashable, Sendable, Codable {
    /// The path of the finished file.
    package var path: String
    /// The size of the file, if the server reports it.
    package var totalBytes: Int64?
    /// The number of bytes from an earlier session.
    package var resumedBytes: Int64
    /// True if certificates are not verified.
    package var insecure: Bool

    /// Creates the message for the facts.
    package init(_ facts: StartFacts) {
        (path, totalBytes) = (facts.path, facts.totalBytes)
        (resumedBytes, insecure) = (facts.resumedBytes, facts.insecure)
    }

    /// The facts in the message.
    package var facts: StartFacts {
        StartFacts(path: path, totalBytes: totalBytes, resumedBytes: resumedBytes, insecure: insecure)
    }
}
