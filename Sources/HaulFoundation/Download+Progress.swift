public import Foundation
public import HaulCore
public import HaulManager

extension Download {
    /// Returns a progress in bytes that follows the download as long as it is kept, for user interfaces and as a child
    /// of other progresses.
    ///
    /// It is indeterminate (`totalUnitCount` is -1) until the size is known, and complete when the download has
    /// finished. Pausing, resuming and cancelling it does that to the download; a cancelled download keeps its partial
    /// file. It ends with the removal of the download or the closing of the manager.
    public func makeProgress() -> Progress {
        FollowingProgress.make { verb in
            // A verb that does not fit the state has nothing to do, and there is nobody to get an error.
            try? await self.manager.backend.perform(verb, on: self.id)
        } follow: { show in
            var values = FollowingProgress.Values()
            for await event in self.events.uncancelled {
                switch event.kind {
                case .snapshot(let snapshot):
                    values = FollowingProgress.Values(snapshot.progress)
                    if case .finished(let facts) = snapshot.state { values.finish(facts.totalBytes) }
                case .progress(let progress): values = FollowingProgress.Values(progress)
                case .started(let facts):
                    (values.total, values.completed) = (facts.totalBytes ?? -1, facts.resumedBytes)
                case .finished(let facts): values.finish(facts.totalBytes)
                case .paused, .failed, .cancelled, .waiting: (values.speed, values.secondsLeft) = (0, nil)
                case .added, .notice, .resumed, .sourceReplaced, .changed: continue
                case .removed: return
                }
                guard show(values) else { return }
            }
        }
    }
}

extension DownloadManager {
    /// Returns a progress that follows the downloads that match a filter, as long as it is kept.
    ///
    /// Each download counts equally, with 1000 units, since the sizes of waiting downloads are not known; those that
    /// are added later count as well, and those that are removed no longer do. Without downloads, it is indeterminate.
    /// Pausing, resuming and cancelling it does that to all of them. The filter's `states` and `text` are those at the
    /// beginning of a download's time in the list.
    public func makeProgress(_ filter: DownloadFilter) -> Progress {
        FollowingProgress.make { verb in
            // There is nobody to get an error.
            _ = try? await self.backend.perform(verb, on: filter)
        } follow: { show in
            var group = GroupProgress()
            let events = self.events(since: self.lastEventNumber)
            guard await group.load(filter, of: self), show(group.values) else { return }
            for await event in events.uncancelled where await group.receive(event, filter, of: self) {
                guard show(group.values) else { return }
            }
        }
    }
}

/// The fractions of several downloads.
private struct GroupProgress {
    /// The units of each download.
    static let units: Int64 = 1000

    private var fractions: [DownloadID: Double] = [:]
    private var speeds: [DownloadID: Double] = [:]

    var values: FollowingProgress.Values {
        var values = FollowingProgress.Values()
        values.total = Int64(fractions.count) * Self.units
        values.completed = Int64(fractions.values.reduce(0, +) * Double(Self.units))
        values.speed = speeds.values.reduce(0, +)
        return values
    }

    /// Reads the downloads; returns false if the list can't be read.
    mutating func load(_ filter: DownloadFilter, of manager: DownloadManager) async -> Bool {
        var last: DownloadID?
        while true {
            guard let page = try? await manager.snapshots(filter, after: last, limit: 500) else { return false }
            for snapshot in page { take(snapshot) }
            guard let id = page.last?.id, page.count == 500 else { return true }
            last = id
        }
    }

    /// Returns true if an event has changed something.
    mutating func receive(_ event: DownloadEvent, _ filter: DownloadFilter, of manager: DownloadManager) async -> Bool {
        let id = event.download
        if case .added = event.kind {
            var own = filter
            own.ids = filter.ids?.intersection([id]) ?? [id]
            guard let snapshot = try? await manager.snapshots(own, limit: 1).first else { return false }
            take(snapshot)
            return true
        }
        guard fractions[id] != nil else { return false }
        switch event.kind {
        case .progress(let progress):
            fractions[id] = progress.fraction ?? 0
            speeds[id] = progress.speed
        case .finished: (fractions[id], speeds[id]) = (1, nil)
        case .paused, .failed, .cancelled, .waiting: speeds[id] = nil
        case .removed: (fractions[id], speeds[id]) = (nil, nil)
        case .snapshot, .added, .started, .notice, .resumed, .sourceReplaced, .changed: return false
        }
        return true
    }

    private mutating func take(_ snapshot: DownloadSnapshot) {
        if case .finished = snapshot.state {
            fractions[snapshot.id] = 1
        } else {
            fractions[snapshot.id] = snapshot.progress.fraction ?? 0
        }
    }
}

extension FollowingProgress.Values {
    /// Creates the values of one download.
    init(_ progress: TransferProgress) {
        total = progress.totalBytes ?? -1
        completed = progress.fileBytes
        (speed, secondsLeft) = (progress.speed, progress.secondsLeft)
    }

    /// Sets the values of a finished download.
    mutating func finish(_ bytes: Int64) {
        // A progress of 0 of 0 is not finished for Foundation.
        (total, completed) = bytes > 0 ? (bytes, bytes) : (1, 1)
        (speed, secondsLeft) = (0, nil)
    }
}
