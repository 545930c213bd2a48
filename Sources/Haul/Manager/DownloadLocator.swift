package import HaulCore

/// How a download is found.
package enum DownloadLocator: Hashable, Sendable {
    /// By its identity.
    case id(DownloadID)
    /// By its key.
    case key(String)
    /// By its place in the list, 0 first.
    case index(Int)
}
