import Haul
import HaulCore
import Synchronization

extension Aria2RPC {
    func tellStatus(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let keys = Set(try parameters.optionalTexts(1))
        return await status(try await snapshot(parameters), keys)
    }

    func tellActive(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let keys = Set(try parameters.optionalTexts(0))
        let found = try await reported { () throws(DownloadError) in
            try await manager.snapshots(.state(.running), limit: Self.maxReported)
        }
        var statuses: [JSON] = []
        for snapshot in found { statuses.append(await status(snapshot, keys)) }
        return .array(statuses)
    }

    /// Returns the status of a download, including the pieces of a running one if they are requested.
    private func status(_ snapshot: DownloadSnapshot, _ keys: Set<String>) async -> JSON {
        var segments: [DownloadSegment] = []
        if keys.isEmpty || keys.contains("bitfield"), snapshot.state.kind == .running {
            // A download that was removed meanwhile has none.
            segments = (try? await manager.segments(snapshot.id)) ?? []
        }
        return Aria2Status(snapshot, segments: segments, relations: relations.withLock { $0 }).json(keys: keys)
    }

    /// The maximum number of downloads that are reported at once.
    static let maxReported = 10_000

    /// Returns a section of the matching downloads; in reverse, counted from the end, if the first parameter is
    /// negative.
    func report(_ filter: DownloadFilter, _ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let offset = try parameters.integer(0)
        let count = try parameters.optionalInteger(1, minimum: 0)
        guard let count else { throw .missing(1) }
        let keys = Set(try parameters.optionalTexts(2))
        let found = try await reported { () throws(DownloadError) in
            let ids = try await manager.ids(filter)
            let wanted = Self.window(of: ids, from: offset, count: min(count, Int64(Self.maxReported)))
            return (try await manager.snapshots(.ids(wanted), limit: wanted.count))
        }
        let relations = self.relations.withLock { $0 }
        let statuses = found.map { Aria2Status($0, relations: relations).json(keys: keys) }
        return .array(offset < 0 ? statuses.reversed() : statuses)
    }

    /// Returns the requested elements: `count` from an offset on, or, if that is negative, `count` that end at this
    /// offset from the end.
    static func window<Element>(of all: [Element], from offset: Int64, count: Int64) -> ArraySlice<Element> {
        let total = Int64(all.count)
        if offset >= 0 {
            guard offset < total else { return [] }
            return all[Int(offset)..<Int(offset + min(count, total - offset))]
        }
        guard offset >= -total else { return [] }
        let end = total + offset + 1
        return all[Int(max(0, end - min(count, end)))..<Int(end)]
    }

    func getPeers(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        _ = try await snapshot(parameters)
        return .array([])
    }

    func getServers(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        guard Aria2State(found.state) == .active else {
            throw .refused("No active download for GID#\(GID(of: found))")
        }
        return Aria2Status(found).servers
    }

    func getGlobalStat() async throws(Aria2Failure) -> JSON {
        let summary = try await reported { () throws(DownloadError) in try await manager.summary() }
        func number(_ number: Int) -> JSON { .string(String(number)) }
        let stopped = summary[.finished] + summary[.failed] + summary[.cancelled]
        return .object([
            "downloadSpeed": number(Int(exactly: summary.speed.rounded()) ?? 0), "uploadSpeed": number(0),
            "numActive": number(summary[.running]), "numWaiting": number(summary[.waiting] + summary[.paused]),
            "numStopped": number(stopped), "numStoppedTotal": number(stopped),
        ])
    }
}
