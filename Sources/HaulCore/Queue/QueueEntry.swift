/// The scheduler's record of one download; 32 bytes, because there may be a million of them.
package struct QueueEntry: Hashable, Sendable {
    /// The download.
    package var id: DownloadID
    /// Its position in the list, lowest first; at the same position the older download comes first.
    package var position: Int64
    /// The time before which it must not start, in milliseconds since 1970; 0 or less means no such time.
    package var notBefore: Int64
    /// The number of its host.
    package var host: Int32
    /// Its priority; the higher number comes first.
    package var priority: Int16
    /// True if it starts at once, despite both limits and without counting towards either.
    package var ignoresLimits: Bool
    /// True if it comes before all others of its priority, because a relaunch interrupted it.
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

/// The order in which waiting downloads of the same priority start.
public enum QueueOrder: String, Sendable, Codable, CaseIterable {
    /// First in, first out: from the top of the list.
    case fifo
    /// Last in, first out: from the bottom of the list.
    case lifo
}
