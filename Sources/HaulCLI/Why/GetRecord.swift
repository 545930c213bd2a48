package import HaulCore

/// The record of one `haul get`, which `haul why` explains; it contains no secrets.
package struct GetRecord: Hashable, Sendable, Codable {
    /// The version of the format.
    package var version = 1
    /// The process ID.
    package var process: Int32
    /// The start time, in milliseconds since 1970.
    package var began: Int64
    /// The time of writing, in milliseconds since 1970.
    package var updated: Int64
    /// True if the run had ended.
    package var isOver = false
    /// The duration of the run so far, in seconds.
    package var seconds = 0.0
    /// The maximum number of downloads at a time.
    package var jobs: Int
    /// The seconds during which `jobs` downloads were active.
    package var busySeconds = 0.0
    /// The active downloads and the longest of those that ended, in the order in which they started.
    package var downloads: [Entry] = []
    /// The sums of all other downloads.
    package var others = Others()

    /// One download.
    package struct Entry: Hashable, Sendable, Codable {
        /// The number, in the order of starting.
        package var id: Int
        /// The file's name, or the last part of the URL until the name is known.
        package var name: String
        /// The record of its run.
        package var record: TransferRecord
    }

    /// Downloads of which only sums are kept.
    package struct Others: Hashable, Sendable, Codable {
        /// The number of downloads.
        package var count = 0
        /// Bytes received.
        package var bytes: Int64 = 0
        /// The sum of their durations, in seconds.
        package var seconds = 0.0
        /// The part of that spent waiting for responses, in seconds.
        package var asking = 0.0
    }
}

extension GetRecord {
    /// True if all values are within the ranges that Haul writes: anyone may have changed the file.
    package var isSound: Bool {
        version == 1 && downloads.count <= 1000 && (0...Self.maximum).contains(seconds)
            && (0...Self.maximum).contains(busySeconds) && (1...100_000).contains(jobs)
            && (0...Self.latest).contains(began) && (0...Self.latest).contains(updated)
            && downloads.allSatisfy(\.record.isSound) && (0...1 << 40).contains(others.count)
            && [others.seconds, others.asking].allSatisfy { (0...Self.maximum).contains($0) }
    }

    /// The maximum duration in seconds: about thirty thousand years.
    fileprivate static let maximum = 1e12
    private static let latest: Int64 = 1 << 53
}

extension TransferRecord {
    fileprivate var isSound: Bool {
        let times = [
            seconds, heldBack, writing, slotSeconds, times.asking, times.receiving, times.silent, times.waiting,
            times.verifying, times.files,
        ]
        return times.allSatisfy { (0...GetRecord.maximum).contains($0) } && slotSeconds > 0
            && connections.count <= Self.maxConnections && connections.allSatisfy(\.isSound)
            && (0...1 << 30).contains(omittedConnections) && (0...1 << 30).contains(refusalCount)
            && (sources ?? []).count <= Self.maxSources
            && (sources ?? []).allSatisfy { (0...1 << 60).contains($0.bytes) }
            && (hostLimit?.isSound ?? true) && (0...1 << 53).contains(totalBytes ?? 0)
            && refusals.count <= Self.maxIncidents
            && waits.count <= Self.maxIncidents && paces.count <= 1000
            && paces.allSatisfy { (0...1 << 20).contains($0.connections) && $0.bytes >= 0 && $0.seconds >= 0 }
    }
}

extension HostLimitRecord {
    fileprivate var isSound: Bool {
        (0...1 << 20).contains(limit) && (0...1 << 20).contains(connections)
            && [waited, short].allSatisfy { (0...GetRecord.maximum).contains($0) }
    }
}

extension ConnectionRecord {
    fileprivate var isSound: Bool {
        let times = [began, responded ?? 0, ended ?? 0, heldBack]
        return times.allSatisfy { (0...GetRecord.maximum).contains($0) } && slots.count <= TransferRecord.maxSlots
            && (0...TransferRecord.maxSlots).contains(firstSlot) && (0...1 << 60).contains(bytes)
            && slots.allSatisfy { (0...1 << 53).contains($0) }
    }
}
