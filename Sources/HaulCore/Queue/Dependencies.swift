/// The queued downloads that wait until others have finished.
package struct Dependencies: Sendable {
    /// For each waiting download, those that must still finish; never empty.
    private var blockers: [DownloadID: Set<DownloadID>] = [:]
    /// For each of these, the downloads that wait for it.
    private var dependents: [DownloadID: Set<DownloadID>] = [:]

    /// Creates a value in which nothing waits.
    package init() {}

    /// The number of waiting downloads.
    package var count: Int { blockers.count }

    /// Returns the downloads that wait for this one.
    package func dependents(of id: DownloadID) -> Set<DownloadID> { dependents[id] ?? [] }

    /// Returns one of the downloads that must still finish before this one, always the same; nil if there is none.
    package func blocker(of id: DownloadID) -> DownloadID? { blockers[id]?.min() }

    /// Adds a download that waits for others; replaces what it waited for.
    package mutating func add(_ id: DownloadID, after others: Set<DownloadID>) {
        remove(id)
        guard !others.isEmpty else { return }
        blockers[id] = others
        for other in others { dependents[other, default: []].insert(id) }
    }

    /// Removes a download that no longer waits; returns false if it did not.
    @discardableResult
    package mutating func remove(_ id: DownloadID) -> Bool {
        guard let others = blockers.removeValue(forKey: id) else { return false }
        for other in others {
            dependents[other]?.remove(id)
            if dependents[other]?.isEmpty == true { dependents[other] = nil }
        }
        return true
    }

    /// Records that a download has finished or no longer exists.
    ///
    /// - Returns: The downloads that wait for nothing any more, oldest first; they are removed.
    package mutating func resolve(_ other: DownloadID) -> [DownloadID] {
        var free: [DownloadID] = []
        for id in dependents.removeValue(forKey: other) ?? [] {
            blockers[id]?.remove(other)
            guard blockers[id]?.isEmpty == true else { continue }
            blockers[id] = nil
            free.append(id)
        }
        return free.sorted()
    }
}
