package import HaulCore

/// What one `haul get` leaves for `haul why` to explain; it holds no secret.
package struct GetRecord: Hashable, Sendable, Codable {
    /// The version of this form.
    package var version = 1
    /// The process.
    package var process: Int32
    /// When it began, in milliseconds since 1970.
    package var began: Int64
    /// When this was written.
    package var updated: Int64
    /// Whether all of it was over then.
    package var isOver = false
    /// How many seconds it had run.
    package var seconds = 0.0
    /// Downloads at a time, as it was told.
    package var jobs: Int
    /// For how many seconds so many were at work.
    package var busySeconds = 0.0
    /// The downloads at work and the longest of those that ended, in the order in which they began.
    package var downloads: [Entry] = []
    /// The other ones, in one sum.
    package var others = Others()

    /// One download.
    package struct Entry: Hashable, Sendable, Codable {
        /// Its number, in the order of beginning.
        package var id: Int
        /// What its file is called, or the URL's last part while nobody has named it.
        package var name: String
        /// What is known of its run.
        package var record: TransferRecord
    }

    /// Downloads of which only sums are kept.
    package struct Others: Hashable, Sendable, Codable {
        /// How many.
        package var count = 0
        /// Bytes received.
        package var bytes: Int64 = 0
        /// How long they took, one after the other.
        package var seconds = 0.0
        /// How much of that was waiting for answers.
        package var asking = 0.0
    }
}

extension GetRecord {
    /// Whether nothing in it is beyond what Haul writes: a record comes from a file that anybody may have changed.
    package var isSound: Bool {
        version == 1 && downloads.count <= 1000 && (0...Self.maximum).contains(seconds)
            && (0...Self.maximum).contains(busySeconds) && (1...100_000).contains(jobs)
            && (0...Self.latest).contains(began) && (0...Self.latest).contains(updated)
            && downloads.allSatisfy(\.record.isSound) && (0...1 << 40).contains(others.count)
            && [others.seconds, others.asking].allSatisfy { (0...Self.maximum).contains($0) }
    }

    /// Seconds: thirty thousand years.
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
