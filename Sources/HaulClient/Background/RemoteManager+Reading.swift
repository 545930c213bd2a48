import HaulCore
import HaulManager
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The manager's state, read from the daemon.
extension RemoteManager {
    /// The maximum number of downloads on one page.
    private static let page = 1000

    func find(_ locator: DownloadLocator) async throws(DownloadError) -> DownloadID? {
        switch locator {
        case .id(let id): return try await first(.ids([id]))
        case .key(let key):
            var filter = DownloadFilter()
            filter.keys = [key]
            return try await first(filter)
        case .index(let index): return try await download(at: index)
        }
    }

    private func first(_ filter: DownloadFilter) async throws(DownloadError) -> DownloadID? {
        try await snapshots(filter, after: nil, limit: 1, isReversed: false).first?.id
    }

    /// Returns the download at an index of the daemon's whole list, which may belong to another program.
    private func download(at index: Int) async throws(DownloadError) -> DownloadID? {
        guard index >= 0 else { return nil }
        var (rest, after) = (index, DownloadID?.none)
        while true {
            let limit = min(rest + 1, Self.page)
            let page = try await ask { client throws(DownloadError) in try await client.list(after: after, limit: limit)
            }
            guard page.downloads.count > rest || page.next != nil else { return nil }
            if page.downloads.count > rest {
                let found = try page.downloads[rest].snapshot
                return ownership.owns(found) ? found.id : nil
            }
            (rest, after) = (rest - page.downloads.count, page.next)
        }
    }

    func snapshot(_ id: DownloadID) async throws(DownloadError) -> DownloadSnapshot {
        let snapshot = try await ask { client throws(DownloadError) in try await client.show(id).snapshot }
        guard ownership.owns(snapshot) else {
            throw DownloadError(
                .noSuchDownload, "this program has no download \(id)")
        }
        known.insert(id)
        return ownership.unmarked(snapshot)
    }

    func snapshots(
        _ filter: DownloadFilter, after: DownloadID?, limit: Int, isReversed: Bool
    ) async throws(DownloadError) -> [DownloadSnapshot] {
        let message = ownership.filter(filter)
        var result: [DownloadSnapshot] = []
        var after = after
        while result.count < limit {
            let (start, count) = (after, min(limit - result.count, Self.page))
            let page = try await ask { client throws(DownloadError) in
                try await client.list(message, after: start, limit: count, order: isReversed ? .reversed : .list)
            }
            for download in page.downloads { result.append(ownership.unmarked(try download.snapshot)) }
            after = page.next
            if after == nil { break }
        }
        known.formUnion(result.map(\.id))
        return result
    }

    func count(_ filter: DownloadFilter) async throws(DownloadError) -> Int {
        let message = ownership.filter(filter)
        return try await ask { client throws(DownloadError) in
            try await client.list(message, limit: 1, wantsTotal: true).total ?? 0
        }
    }

    func summary() async -> DownloadSummary {
        do throws(DownloadError) {
            var summary = DownloadSummary()
            for kind in DownloadState.Kind.allCases {
                let count = try await count(.state(kind))
                if count > 0 { summary.counts[kind] = count }
            }
            if summary[.running] > 0 {
                for snapshot in try await snapshots(.state(.running), after: nil, limit: Self.page, isReversed: false) {
                    summary.speed += snapshot.progress.speed
                    summary.connections += snapshot.progress.connections
                }
            }
            summary.isActive = summary[.running] > 0
            lastSummary = summary
        } catch {
            // The daemon does not respond: the last known summary is returned.
        }
        return lastSummary
    }

    func idle() async {
        while !Task.isCancelled, let changeCount = stateChanges.changeCount {
            // Events before the idle state are processed before it is reported.
            if let last = try? await idleNumber() { return await receive(upTo: last) }
            await stateChanges.wait(after: changeCount)
        }
    }

    /// Returns the number of the last event if nothing is running or will start by itself; downloads that wait for the
    /// caller do not count.
    ///
    /// If all others wait for further downloads, these wait for the caller or have failed.
    private func idleNumber() async throws(DownloadError) -> Int64? {
        let filter = ownership.filter(.state(.running, .waiting))
        var (last, after) = (Int64?.none, DownloadID?.none)
        var (pages, waitsForOthers) = (0, false)
        repeat {
            let start = after
            let page = try await ask { client throws(DownloadError) in
                try await client.list(filter, after: start, limit: Self.page)
            }
            last = last ?? page.lastEvent
            pages += 1
            for download in page.downloads {
                switch try download.snapshot.state {
                case .waiting(.linkExpired), .waiting(.credentials): break
                case .waiting(.dependency): waitsForOthers = true
                case .waiting, .running, .paused, .finished, .failed, .cancelled: return nil
                }
            }
            after = page.next
        } while after != nil
        guard waitsForOthers, pages > 1 else { return last }
        // What those of the first page wait for may have finished before a later page was read.
        let check = try await ask { client throws(DownloadError) in try await client.list(filter, limit: 1) }
        guard check.lastEvent != last else { return last }
        return try await idleNumber()
    }

    /// Returns when the own events up to a number have been processed.
    private func receive(upTo number: Int64) async {
        guard number > hub.last else { return }
        var own: Int64 = 0
        do throws(DownloadError) {
            let events = client.events(after: hub.last, until: number, tag: ownership.tag, progress: false)
            for try await event in events {
                guard case .download(let event) = event, self.own(event) != nil else { continue }
                own = event.number
            }
        } catch {
            // The daemon has ended: its remaining events arrive when it is running again.
            return
        }
        while hub.last < own, !Task.isCancelled, let changeCount = stateChanges.changeCount {
            if hub.last < own { await stateChanges.wait(after: changeCount) }
        }
    }

    var awaited: Set<DownloadID> { [] }

    func removed(withOneOf tags: Set<String>, after number: Int64) throws(DownloadError) -> Set<DownloadID> { [] }

    var firstEventNumber: Int64? {
        get async { try? await ask { client throws(DownloadError) in try await client.info() }.firstEvent }
    }

    func segments(_ id: DownloadID) async throws(DownloadError) -> [DownloadSegment] {
        _ = try await snapshot(id)
        let reported = try await ask { client throws(DownloadError) in try await client.segments(id) }
        return reported.segments.map {
            DownloadSegment(start: $0.start, position: $0.position, end: $0.end, isActive: $0.active)
        }
    }

    /// Returns nil: the API transmits only the sentences of an explanation, not its numbers.
    func explanation(_ id: DownloadID) async -> Explanation? { nil }

    /// Checks the local file system, because the daemon is on this machine.
    nonisolated func fileExists(at path: String) async -> Bool { FileManager.default.fileExists(atPath: path) }

    // MARK: - Settings

    var currentSettings: ManagerSettings {
        get async {
            if let reported = try? await ask({ client throws(DownloadError) in try await client.settings() }) {
                take(reported)
            }
            return settings
        }
    }

    func update(_ settings: ManagerSettings) async throws(DownloadError) {
        guard settings.hooks.isEmpty else {
            throw DownloadError(.notPossible, "a daemon does not run hooks of a program: use the events instead")
        }
        var patch = SettingsPatch()
        patch.jobs = SettingsPatch.Change(settings.limit)
        patch.jobsPerHost = SettingsPatch.Change(settings.hostLimit)
        patch.order = settings.order
        patch.rateLimit = SettingsPatch.Change(settings.rateLimit)
        patch.rateSchedule = SettingsPatch.Change(settings.rateSchedule.map { $0.description })
        let asked = patch
        let reported = try await ask { client throws(DownloadError) in try await client.change(asked) }
        // These two are not settings of the daemon, but of this program's view of it.
        (self.settings.progressInterval, self.settings.eventsKept) = (settings.progressInterval, settings.eventsKept)
        take(reported)
    }

    private func take(_ reported: SettingsMessage) {
        (settings.limit, settings.hostLimit) = (reported.jobs, reported.jobsPerHost)
        (settings.order, settings.rateLimit) = (reported.order, reported.rateLimit)
        settings.rateSchedule = reported.rateSchedule.flatMap { try? RateSchedule(parsing: $0) }
    }
}
