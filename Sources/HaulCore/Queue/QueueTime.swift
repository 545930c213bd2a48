/// A time before which a download must not start; sorted by time.
struct QueueTime: Comparable, Sendable {
    let time: Int64
    let id: DownloadID

    init(_ entry: QueueEntry) {
        self.init(time: entry.notBefore, id: entry.id)
    }

    private init(time: Int64, id: DownloadID) {
        (self.time, self.id) = (time, id)
    }

    /// Makes the lower bound of everything after a time; nil if there is no later time.
    init?(after time: Int64) {
        guard time < Int64.max else { return nil }
        self.init(time: time + 1, id: DownloadID(rawValue: .min))
    }

    /// Makes the next value above another one; nil if there is none.
    init?(above other: QueueTime) {
        let next = other.id.rawValue.addingReportingOverflow(1)
        if next.overflow {
            self.init(after: other.time)
        } else {
            self.init(time: other.time, id: DownloadID(rawValue: next.partialValue))
        }
    }

    static func < (first: QueueTime, second: QueueTime) -> Bool {
        first.time != second.time ? first.time < second.time : first.id < second.id
    }
}
