import HaulCore
import HaulEngine

/// The records of the last 32 runs that ended.
struct RecentRecords {
    private var watches: [DownloadID: TransferWatch] = [:]
    private var order: [DownloadID] = []

    private static let maximum = 32

    /// Adds the watch of a run, and removes the oldest ones beyond the limit.
    mutating func add(_ watch: TransferWatch, of id: DownloadID) {
        if watches.updateValue(watch, forKey: id) != nil { order.removeAll { $0 == id } }
        order.append(id)
        while order.count > Self.maximum { watches[order.removeFirst()] = nil }
    }

    /// The explanation of the last run of a download; nil if that was too long ago.
    subscript(_ id: DownloadID) -> Explanation? { watches[id]?.explanation }
}

extension LocalManager {
    func explanation(_ id: DownloadID) -> Explanation? { live[id]?.watch.explanation ?? recent[id] }
}
