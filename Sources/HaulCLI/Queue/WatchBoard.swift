package import HaulCore
package import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Turns the events of the watched downloads into reports for the screen of `haul get`; a value without clock or network.
package struct WatchBoard: Sendable {
    /// The selected downloads, with their jobs on the screen; nil for other downloads.
    private var jobs: [DownloadID: GetJob?] = [:]
    /// The downloads that run, or will run by themselves.
    private var busy: Set<DownloadID> = []

    /// The downloads whose start was shown when they were taken; its event may still come.
    private var begun: Set<DownloadID> = []
    /// The downloads whose end was shown when they were taken, with its time; events up to then may still come.
    private var ended: [DownloadID: Date] = [:]
    /// The selected downloads that are paused, cancelled or removed.
    private var stopped: Set<DownloadID> = []

    /// Makes a board without downloads.
    package init() {}

    /// The selected downloads that run, or will run by themselves.
    package var waitedFor: Set<DownloadID> { busy }

    /// True if no selected download runs or will run by itself.
    package var isIdle: Bool { busy.isEmpty }

    /// True if a selected download was stopped before its end, and does not continue.
    package var isAnyStopped: Bool { !stopped.isEmpty }

    /// Returns true if a download was selected; nil if that is not known yet.
    package func isMeant(_ id: DownloadID) -> Bool? { jobs[id].map { $0 != nil } }

    /// Records that a download was not selected.
    package mutating func leaveOut(_ id: DownloadID) { jobs[id] = .some(nil) }

    /// Takes a selected download in its current state.
    package mutating func take(_ download: DownloadMessage, isNew: Bool = false) -> [Report] {
        guard let url = try? SourceURL(parsing: download.request.url) else { return [] }
        let job = GetJob(id: Int(clamping: download.id.rawValue), url: url, path: download.path ?? download.name)
        jobs[download.id] = job
        guard let state = try? download.snapshot.state else { return [] }
        switch state {
        case .waiting(let reason): return take(reason, download, job)
        case .running: busy.insert(download.id)
        case .paused, .cancelled:
            stopped.insert(download.id)
            return [.log("\(download.id)  \(download.name)  \(Self.standing(of: download))")]
        case .finished(let facts):
            ended[download.id] = isNew ? nil : download.changed
            return [.event(job, .finished(facts))]
        case .failed(let error):
            ended[download.id] = isNew ? nil : download.changed
            return [.event(job, .failed(error))]
        }
        // The path may be that of an earlier run: if the size is unknown, the server may not have responded yet.
        let hasStarted = download.progress.totalBytes != nil || download.progress.sessionBytes > 0
        guard !isNew, hasStarted, let path = download.path else { return [] }
        begun.insert(download.id)
        // The existing bytes were received before watching began, not before the download started.
        let facts = StartFacts(
            path: path, totalBytes: download.progress.totalBytes, resumedBytes: 0,
            insecure: download.request.insecure)
        return [.began(job), .event(job, .started(facts)), .event(job, .progress(download.progress))]
    }

    /// Takes a download that waits; it is shown if it may wait for long, even if nothing else runs.
    private mutating func take(_ reason: WaitReason, _ download: DownloadMessage, _ job: GetJob) -> [Report] {
        if Self.waitsForCaller(reason.name) {
            return [.event(job, .failed(DownloadError(.linkExpired, reason.description)))]
        }
        busy.insert(download.id)
        switch reason {
        case .turn, .host, .connections, .start, .linkExpired, .credentials: return []
        case .notBefore, .dependency, .space, .openFiles, .network, .meteredNetwork, .serverAsked, .retrying: break
        }
        let seconds = download.wait?.until.map { $0.timeIntervalSince(download.changed) } ?? 0
        return [.began(job), .event(job, .waiting(reason, seconds: seconds))]
    }

    /// Returns the state of a download that is stopped, and the command that continues it.
    private static func standing(of download: DownloadMessage) -> String {
        download.state == .paused
            ? "paused: haul resume \(download.id)" : "cancelled: haul retry \(download.id)"
    }

    /// Takes a download whose events were missed; its end is reported.
    package mutating func takeEnd(_ download: DownloadMessage) -> [Report] {
        guard let state = try? download.snapshot.state else { return [] }
        let kind: DownloadEvent.Kind? =
            switch state {
            case .waiting(let reason): Self.waitsForCaller(reason.name) ? .waiting(reason, until: nil) : nil
            case .running: nil
            case .paused(let reason): .paused(reason)
            case .cancelled(let keptPartial): .cancelled(keptPartial: keptPartial)
            case .finished(let facts): .finished(facts)
            case .failed(let error): .failed(error)
            }
        guard let kind else { return [] }
        let reports = take(DownloadEvent(number: 0, download: download.id, time: download.changed, kind: kind))
        ended[download.id] = download.changed
        return reports
    }

    /// Takes an event of a selected download.
    package mutating func take(_ event: DownloadEvent) -> [Report] {
        guard let job = jobs[event.download] ?? nil else { return [] }
        if let end = ended[event.download], event.time <= end { return [] }
        switch event.kind {
        case .snapshot, .sourceReplaced, .changed: return []
        case .added, .resumed:
            busy.insert(event.download)
            stopped.remove(event.download)
            return []
        case .progress(let progress): return [.event(job, .progress(progress))]
        case .started(let facts):
            busy.insert(event.download)
            return begun.remove(event.download) == nil ? [.event(job, .started(facts))] : []
        case .notice(let notice): return [.event(job, .notice(notice))]
        case .waiting(let reason, let until): return wait(reason, until, event, job)
        case .finished(let facts): return end(event, job, .finished(facts))
        case .failed(let error): return end(event, job, .failed(error))
        case .paused, .cancelled, .removed:
            stopped.insert(event.download)
            return end(event, job, .failed(Self.stopped))
        }
    }

    private mutating func wait(_ reason: WaitReason, _ until: Date?, _ event: DownloadEvent, _ job: GetJob) -> [Report]
    {
        if Self.waitsForCaller(reason.name) {
            return end(event, job, .failed(DownloadError(.linkExpired, reason.description)))
        }
        // The run has ended, and another one starts later.
        if event.kind.endsRun { begun.remove(event.download) }
        let seconds = until.map { $0.timeIntervalSince(event.time) } ?? 0
        return [.event(job, .waiting(reason, seconds: seconds))]
    }

    private mutating func end(_ event: DownloadEvent, _ job: GetJob, _ reported: TransferEvent) -> [Report] {
        busy.remove(event.download)
        begun.remove(event.download)
        return [.event(job, reported)]
    }

    /// Returns true if the download does not continue by itself.
    private static func waitsForCaller(_ reason: String?) -> Bool { reason == "linkExpired" || reason == "credentials" }

    private static let stopped = DownloadError(.cancelled, "stopped")
}
