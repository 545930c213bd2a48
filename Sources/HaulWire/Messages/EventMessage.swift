package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What happened: `DownloadEvent`, its kind side by side with what belongs to it.
package struct EventMessage: Hashable, Sendable, Codable {
    /// The event's number; of `progress` and `snapshot` that of the last numbered one before.
    package var number: Int64
    /// The download that it is about.
    package var download: DownloadID
    /// When it happened.
    package var time: Date
    /// What happened.
    package var event: EventName
    /// With `snapshot`: all that is known of it.
    package var snapshot: DownloadMessage?
    /// With `progress`: how far it is.
    package var progress: TransferProgress?
    /// With `started`: what is known.
    package var start: StartMessage?
    /// With `waiting`: for what.
    package var wait: WaitMessage?
    /// With `notice`: what is worth knowing.
    package var notice: NoticeMessage?
    /// With `paused`: why.
    package var pause: PauseReason?
    /// With `finished`: the facts.
    package var finish: FinishMessage?
    /// With `failed`: why.
    package var error: DownloadError?
    /// With `cancelled`: whether the bytes stay.
    package var keptPartial: Bool?
    /// With `removed`: which files went with the record.
    package var files: RemovedFiles?

    /// Tells an event.
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

    /// The event that was told.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for what this version does not know, or what contradicts itself.
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
            throw .unknownMessage("\"\(event.rawValue)\" without saying more")
        }
    }
}

/// What can happen, by name: the `event` line of an event stream.
package enum EventName: String, Hashable, Sendable, Codable, CaseIterable {
    case snapshot, progress, added, started, waiting, notice, paused, resumed, sourceReplaced, finished, failed
    case cancelled, removed, changed

    /// The name of a kind.
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

/// What is known when a download starts: `StartFacts`.
package struct StartMessage: Hashable, Sendable, Codable {
    /// The path that the finished file will have.
    package var path: String
    /// The size of the file, if the server tells it.
    package var totalBytes: Int64?
    /// Bytes that are there from an earlier session.
    package var resumedBytes: Int64
    /// Whether certificates are not checked for it.
    package var insecure: Bool

    /// Tells the facts.
    package init(_ facts: StartFacts) {
        (path, totalBytes) = (facts.path, facts.totalBytes)
        (resumedBytes, insecure) = (facts.resumedBytes, facts.insecure)
    }

    /// The facts that were told.
    package var facts: StartFacts {
        StartFacts(path: path, totalBytes: totalBytes, resumedBytes: resumedBytes, insecure: insecure)
    }
}
