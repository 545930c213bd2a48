/// How much room a file lacked on its disk.
package struct MissingRoom: Sendable, Hashable {
    /// The bytes that were missing, at least one.
    package var missing: Int64
    /// The bytes that have to be free for the rest of the file: what was missing, and what was free all the same.
    package var needed: Int64

    /// Makes one.
    package init(missing: Int64, needed: Int64) {
        self.missing = missing
        self.needed = needed
    }

    /// Where it can't be told: at least a byte.
    package static let unknown = MissingRoom(missing: 1, needed: 1)
}
