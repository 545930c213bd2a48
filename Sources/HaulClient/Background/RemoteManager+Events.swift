import HaulCore
import HaulManager
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts the daemon's events to those of the program.
extension RemoteManager {
    func receive(_ event: DaemonEvent) {
        guard holds == 0 else { return held.append(event) }
        switch event {
        case .download(let event): if let own = own(event) { spread(own) }
        case .summary: changes.notify()
        case .reset(let last):
            hub.skip(to: last)
            stateChanges.notify()
            changes.notify()
        }
    }

    /// Processes the events that were held back, once nothing holds them any more.
    func release() {
        holds -= 1
        guard holds == 0 else { return }
        let events = held
        held = []
        for event in events { receive(event) }
    }

    /// Returns the event with the program's view of the download; nil if the download belongs to another program.
    ///
    /// The daemon sends only the events of downloads with the program's tag, including downloads that are removed.
    func own(_ event: DownloadEvent) -> DownloadEvent? {
        switch event.kind {
        case .snapshot(let snapshot):
            guard ownership.owns(snapshot) else { return nil }
            known.insert(event.download)
            var event = event
            event.kind = .snapshot(ownership.unmarked(snapshot))
            return event
        case .progress, .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .finished, .failed,
            .cancelled, .removed, .changed:
            known.insert(event.download)
            return event
        }
    }

    private func spread(_ event: DownloadEvent) {
        guard event.kind.isNumbered else {
            if case .progress(let progress) = event.kind { take(progress, event) }
            return changes.notify()
        }
        // After a reconnection, events that are known already may be repeated.
        guard event.number > hub.last else { return }
        models.emit(event)
        if event.kind.endsRun { (furthest[event.download], lastEnd) = (nil, event.number) }
        hub.publish([event])
        if case .removed = event.kind { models.forget(event.download) }
        stateChanges.notify()
        changes.notify()
    }

    private func take(_ progress: TransferProgress, _ event: DownloadEvent) {
        guard progress.sessionBytes >= furthest[event.download] ?? 0 else { return }
        furthest[event.download] = progress.sessionBytes
        models.emit(event)
        hub.publish(progress: event)
    }

    func present(_ download: DownloadID?) async -> ManagerReplay {
        let last = hub.last
        return await repeated { () throws(DownloadError) in
            let snapshots =
                if let download { [try await snapshot(download)] } else {
                    try await snapshots(.state(.running), after: nil, limit: 1000, isReversed: false)
                }
            expect(snapshots, since: last)
            let now = Date.now
            return .events(
                snapshots.map { DownloadEvent(number: last, download: $0.id, time: now, kind: .snapshot($0)) },
                upTo: last)
        } failed: { error in
            error.code == .noSuchDownload ? .gone(upTo: last) : .unreadable(error)
        }
    }

    /// Has no progress delivered from now on that is less than what snapshots say.
    ///
    /// They are not delivered as progress themselves: the events before it may still be on their way.
    private func expect(_ snapshots: [DownloadSnapshot], since number: Int64) {
        // A run that has ended in the meantime says nothing about the next one.
        guard lastEnd <= number else { return }
        for snapshot in snapshots where snapshot.state == .running {
            furthest[snapshot.id] = max(furthest[snapshot.id] ?? 0, snapshot.progress.sessionBytes)
        }
    }

    func recorded(after number: Int64, of download: DownloadID?) async -> ManagerReplay {
        let target = hub.last
        return await repeated { () throws(DownloadError) in
            try await read(after: number, upTo: target, of: download)
        } failed: { error in
            .unreadable(error)
        }
    }

    /// Reads events from the daemon, again and again while none is running or responds: a subscription outlives its
    /// restarts.
    private func repeated(
        _ read: () async throws(DownloadError) -> ManagerReplay, failed: (DownloadError) -> ManagerReplay
    ) async -> ManagerReplay {
        var pause = Self.pauses.first
        while !isClosing, !Task.isCancelled {
            do throws(DownloadError) {
                return try await read()
            } catch {
                guard error.code == .connectionFailed || error.code == .timedOut else { return failed(error) }
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.maximum)
        }
        return .unreadable(DownloadError(.notPossible, "the manager is closed"))
    }

    private func read(
        after number: Int64, upTo target: Int64, of download: DownloadID?
    ) async throws(DownloadError) -> ManagerReplay {
        var found: [DownloadEvent] = []
        var (count, last) = (0, number)
        let events = client.events(after: number, until: target, tag: ownership.tag, progress: false)
        for try await event in events {
            switch event {
            case .download(let event):
                (count, last) = (count + 1, event.number)
                if let own = own(event), download == nil || own.download == download { found.append(own) }
            // Events this old are not kept any more.
            case .reset: return await present(download)
            case .summary: break
            }
            if count == Self.replayLimit { return .events(found, upTo: last) }
        }
        return .events(found, upTo: max(target, last))
    }
}
