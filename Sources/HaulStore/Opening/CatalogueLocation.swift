/// Where a catalogue stands.
package enum CatalogueLocation: Sendable, Hashable {
    /// In memory: it is gone when it is closed.
    case inMemory
    /// In this file, with `-wal`, `-shm` and `.lock` beside it, in a folder that exists.
    case file(path: String)
}
