package import HaulCore

/// How many downloads stand where, and what they do together.
package struct SummaryMessage: Hashable, Sendable, Codable {
    /// How many are in each state, those that none is in included.
    package var counts: [String: Int]
    /// Bytes per second over all that run.
    package var speed: Double
    /// Connections at work over all that run.
    package var connections: Int
    /// Whether something is going on that a person should see.
    package var isActive: Bool
    /// Bytes that those which run still have to fetch, as far as their sizes are known.
    package var bytesLeft: Int64
    /// Seconds until those which run have finished, at the present speed; nil where that can't be told.
    package var secondsLeft: Double?
    /// The number of the last event.
    package var lastEvent: Int64

    /// Tells a summary.
    package init(_ summary: DownloadSummary, bytesLeft: Int64, lastEvent: Int64) {
        counts = Dictionary(
            uniqueKeysWithValues: DownloadState.Kind.allCases.map { ($0.rawValue, summary[$0]) })
        (speed, connections, isActive) = (summary.speed, summary.connections, summary.isActive)
        (self.bytesLeft, self.lastEvent) = (bytesLeft, lastEvent)
        secondsLeft = bytesLeft > 0 && summary.speed >= 1 ? Double(bytesLeft) / summary.speed : nil
    }

    /// The summary that was told.
    package var summary: DownloadSummary {
        var kinds: [DownloadState.Kind: Int] = [:]
        for (name, count) in counts where count > 0 {
            if let kind = DownloadState.Kind(rawValue: name) { kinds[kind] = count }
        }
        return DownloadSummary(counts: kinds, speed: speed, connections: connections, isActive: isActive)
    }
}
