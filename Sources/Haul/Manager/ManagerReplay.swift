package import HaulCore

/// What a subscriber is told that does not find it in the hub.
package enum ManagerReplay: Sendable {
    /// These, and they are all up to this number.
    case events([DownloadEvent], upTo: Int64)
    /// There is no such download, and never will be: no identity is given twice.
    case gone(upTo: Int64)
    /// The list can't be read any more.
    case unreadable
}
