/// What the scheduler knows of one download; 32 bytes, because it may exist a million times.
package struct QueueEntry: Hashable, Sendable {
    /// The download.
    package var id: DownloadID
    /// Its place in the list, the lower one first; of two that share a place the older download comes first.
    package var position: Int64
    /// The time before which it must not start, in milliseconds since 1970; 0 or less: none.
    package var notBefore: Int64
    /// The number that stands for its host.
    package var host: Int32
    /// How urgent it is; the higher number comes first.
    package var priority: Int16
    /// Whether it starts at once, beyond both limits and without counting towards either.
    package var ignoresLimits: Bool
    /// Whether it comes before all others of its priority: a relaunch interrupted it.
    package var goesFirst: Bool

    /// Makes an entry.
    package init(
        id: DownloadID, position: Int64, priority: Int16 = 0, host: Int32 = 0, notBefore: Int64 = 0,
        ignoresLimits: Bool = false, goesFirst: Bool = false
    ) {
        self.id = id
        self.position = position
        self.priority = priority
        self.host = host
        self.notBefore = notBefore
        self.ignoresLimits = ignoresLimits
        self.goesFirst = goesFirst
    }
}

/// Which of two waiting downloads of the same priority starts first.
public enum QueueOrder: String, Sendable, Codable, CaseIterable {
    /// The one that stands higher in the list: first in, first out.
    case fifo
    /// The one that stands lower in the list: last in, first out.
    case lifo
}
