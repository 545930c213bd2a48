import GRDB

/// The versions of the database's layout, oldest first.
///
/// A version that was released is never edited: what changes becomes the next one.
struct CatalogueSchema: Sendable {
    /// The SQL of each version.
    let versions: [String]

    /// The layout that this Haul writes.
    static let current = CatalogueSchema(versions: [versionOne, versionTwo, versionThree, versionFour])

    /// Marks the file as a catalogue of Haul ("HAUL"); see `application_id` in SQLite's file format.
    static let applicationID: Int32 = 0x4841_554C

    /// The number of the newest version, which a file has as its `user_version`.
    var newest: Int32 { Int32(versions.count) }

    /// What brings a database from any of the versions to the newest, each step in a transaction of its own.
    var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, sql) in versions.enumerated() {
            migrator.registerMigration("v\(index + 1)") { database in
                try database.execute(sql: sql)
                try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(index + 1)")
            }
        }
        return migrator
    }
}
