package import HaulCore

/// The effect of a move on the positions.
package enum Moved: Sendable, Hashable {
    /// Only the moved download has a new position.
    case to(Position)
    /// The gap was used up: these downloads, including the moved one, have new positions, in list order.
    case renumbered([Placed])

    /// A download and its new position.
    package struct Placed: Sendable, Hashable {
        /// The download.
        package let id: DownloadID
        /// Its position.
        package let position: Position
    }
}
