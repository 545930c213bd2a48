/// The location of a catalogue.
package enum CatalogueLocation: Sendable, Hashable {
    /// In memory: it is lost when it is closed.
    case inMemory
    /// In this file, with `-wal`, `-shm` and `.lock` beside it, in an existing folder.
    case file(path: String)
}
