/// The disk space that a file lacked.
package struct MissingRoom: Sendable, Hashable {
    /// The number of missing bytes, at least one.
    package var missing: Int64
    /// The number of bytes that must be free for the rest of the file: the missing ones and those that were free.
    package var needed: Int64

    /// Makes a value.
    package init(missing: Int64, needed: Int64) {
        self.missing = missing
        self.needed = needed
    }

    /// The value if the amount is unknown: at least one byte.
    package static let unknown = MissingRoom(missing: 1, needed: 1)
}
