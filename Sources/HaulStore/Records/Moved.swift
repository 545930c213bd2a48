package import HaulCore

/// What a move did to the positions.
package enum Moved: Sendable, Hashable {
    /// Only the moved download has another position.
    case to(Position)
    /// The gap was used up: these have other positions now, the moved one among them, in list order.
    case renumbered([Placed])

    /// A download and its new position.
    package struct Placed: Sendable, Hashable {
        /// The download.
        package let id: DownloadID
        /// Its position.
        package let position: Position
    }
}
