package import HaulCore

/// The number of downloads in each state, and their total activity.
package struct SummaryMessage: Hashable, Sendable, Codable {
    /// The number of downloads in each state, including those without any.
    package var counts: [String: Int]
    /// The total speed of all running downloads in bytes per second.
    package var speed: Double
    /// The number of connections of all running downloads.
    package var connections: Int
    /// True if there is activity that a user should see.
    package var isActive: Bool
    /// The number of bytes that the running downloads still have to fetch, as far as their sizes are known.
    package var bytesLeft: Int64
    /// The seconds until the running downloads have finished, at the present speed; nil if unknown.
    package var secondsLeft: Double?
    /// The number of the last event.
    package var lastEvent: Int64

    /// Creates the message for a summary.
    package init(_ summary: DownloadSummary, bytesLeft: Int64, lastEvent: Int64) {
        counts = Dictionary(
            uniqueKeysWithValues: DownloadState.Kind.allCases.map { ($0.rawValue, summary[$0]) })
        (speed, connections, isActive) = (summary.speed, summary.connections, summary.isActive)
        (self.bytesLeft, self.lastEvent) = (bytesLeft, lastEvent)
        secondsLeft = bytesLeft > 0 && summary.speed >= 1 ? Double(bytesLeft) / summary.speed : nil
    }

    /// The summary in the message.
    package var summary: DownloadSummary {
        var kinds: [DownloadState.Kind: Int] = [:]
        for (name, count) in counts where count > 0 {
            if let kind = DownloadState.Kind(rawValue: name) { kinds[kind] = count }
        }
        return DownloadSummary(counts: kinds, speed: speed, connections: connections, isActive: isActive)
    }
}
