/// The sources of a download as the record of its run describes them.
extension DownloadMachine {
    /// The sources, the main one first; nil if there is only one.
    func sourceRecords(now: Duration) -> [SourceRecord]? {
        guard sources.mayMix else { return nil }
        return sources.ids.prefix(TransferRecord.maxSources).map { id in
            SourceRecord(
                url: sources[id].home.redacted, bytes: sources[id].bytes, problem: problem(of: id, now: now))
        }
    }

    /// Returns the reason why a source is not used, or not any more; nil if it is.
    private func problem(of id: SourceID, now: Duration) -> String? {
        let source = sources[id]
        if let exclusion = source.exclusion { return exclusion.error.description }
        if !sources.isUsable(id) { return "each source is tried alone, because the checksum was wrong" }
        if let error = source.lastError { return error.description }
        let isSetAside = sources.shares.isSetAside(source.hostNumber)
        if source.bytes > 0 { return isSetAside ? slowness(of: id) : nil }
        if fetches.count(from: id) > 0 { return nil }
        if isFirm(sources.primary), !isPromising(id, now: now) {
            return "it sends no ETag or date to recognize the version of the file, and another source does"
        }
        if isSetAside { return "it did not \(source.hasReceived ? "send any data" : "respond") in time" }
        if map.isComplete { return nil }
        if map.written > 0, mustProve(id), comparable(with: id) == nil {
            return "there is not enough data to compare yet"
        }
        return "other sources have all connections"
    }

    private func slowness(of id: SourceID) -> String {
        let fastest = sources.ids.filter { $0 != id }.map { sources[$0].speed }.max() ?? 0
        guard sources[id].speed > 0, fastest > sources[id].speed else { return "slower than other sources" }
        return "slower than other sources: \(Self.rate(sources[id].speed)) per connection, "
            + "compared with \(Self.rate(fastest))"
    }

    private static func rate(_ speed: Double) -> String { ByteCount.string(Int64(min(max(speed, 0), 9e18))) + "/s" }
}
