import HaulCore

/// The records of the runs that ended last, a few of them.
struct RecentRecords {
    private var watches: [DownloadID: TransferWatch] = [:]
    private var order: [DownloadID] = []

    private static let maximum = 32

    /// Keeps what a run's watch has seen, and lets the oldest go.
    mutating func add(_ watch: TransferWatch, of id: DownloadID) {
        if watches.updateValue(watch, forKey: id) != nil { order.removeAll { $0 == id } }
        order.append(id)
        while order.count > Self.maximum { watches[order.removeFirst()] = nil }
    }

    /// What limited the last run of a download; nil where that is too long ago.
    subscript(_ id: DownloadID) -> Explanation? { watches[id]?.explanation }
}

extension LocalManager {
    func explanation(_ id: DownloadID) -> Explanation? { live[id]?.watch.explanation ?? recent[id] }
}
