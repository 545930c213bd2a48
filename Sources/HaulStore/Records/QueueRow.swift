package import HaulCore

/// What a scheduler needs of a download that is queued or was at work.
package struct QueueRow: Sendable, Hashable {
    /// The download.
    package let id: DownloadID
    /// Its place in the list.
    package let position: Position
    /// The higher number goes first.
    package let priority: Int32
    /// The number of its host.
    package let host: Int32
    /// The time before which it must not start, in milliseconds since 1970.
    package let notBefore: Int64?
    /// Whether it starts beyond the manager's limits.
    package let startsAtOnce: Bool
    /// Whether it was at work when this was written.
    package let wasActive: Bool
}

extension QueueRow {
    /// The columns of `download`, in the order in which they are read.
    static let columns = "id, position, priority, host, not_before, starts_at_once"

    /// Reads the present row of a statement over these columns.
    init(_ row: BoundStatement, wasActive: Bool) {
        self.init(
            id: DownloadID(rawValue: row.integer(0)), position: row.integer(1),
            priority: Int32(clamping: row.integer(2)), host: Int32(clamping: row.integer(3)),
            notBefore: row.isNull(4) ? nil : row.integer(4), startsAtOnce: row.integer(5) != 0, wasActive: wasActive)
    }
}
