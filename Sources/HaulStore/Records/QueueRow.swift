package import HaulCore

/// The part of a queued or active download that a scheduler needs.
package struct QueueRow: Sendable, Hashable {
    /// The download.
    package let id: DownloadID
    /// Its position in the list.
    package let position: Position
    /// The priority: higher numbers start first.
    package let priority: Int32
    /// The number of its host.
    package let host: Int32
    /// The time before which it must not start, in milliseconds since 1970.
    package let notBefore: Int64?
    /// True if it starts regardless of the manager's limits.
    package let startsAtOnce: Bool
    /// True if it was active when this was written.
    package let wasActive: Bool
}

extension QueueRow {
    /// The columns of `download`, in the order in which they are read.
    static let columns = "id, position, priority, host, not_before, starts_at_once"

    /// Reads the current row of a statement over these columns.
    init(_ row: BoundStatement, wasActive: Bool) {
        self.init(
            id: DownloadID(rawValue: row.integer(0)), position: row.integer(1),
            priority: Int32(clamping: row.integer(2)), host: Int32(clamping: row.integer(3)),
            notBefore: row.isNull(4) ? nil : row.integer(4), startsAtOnce: row.integer(5) != 0, wasActive: wasActive)
    }
}
