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
