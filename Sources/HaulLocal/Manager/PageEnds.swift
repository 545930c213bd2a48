import HaulCore
import HaulStore

/// The places of the downloads at which recent pages of the list ended: one that is removed before the next page is
/// requested must not end the list.
struct PageEnds: Sendable {
    /// The number of places that are kept at least.
    private static let capacity = 1000

    private var newer: [DownloadID: Position] = [:]
    private var older: [DownloadID: Position] = [:]

    /// The place of a download; nil if it is not known any more.
    subscript(id: DownloadID) -> Position? {
        get { newer[id] ?? older[id] }
        set {
            newer[id] = newValue
            if newer.count >= Self.capacity { (older, newer) = (newer, [:]) }
        }
    }
}
