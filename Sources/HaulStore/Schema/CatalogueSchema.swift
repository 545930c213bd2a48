import GRDB

/// The versions of the database's schema, oldest first.
///
/// A released version is never edited: changes become the next version.
struct CatalogueSchema: Sendable {
    /// The SQL of each version.
    let versions: [String]

    /// The schema that this version of Haul writes.
    static let current = CatalogueSchema(
        versions: [
            versionOne, versionTwo, versionThree, versionFour, versionFive, versionSix, versionSeven, versionEight,
        ])

    /// The number that marks the file as a catalogue of Haul ("HAUL"); see `application_id` in SQLite's file format.
    static let applicationID: Int32 = 0x4841_554C

    /// The number of the newest version, which is stored as `user_version`.
    var newest: Int32 { Int32(versions.count) }

    /// The migrations from any version to the newest, each in a transaction of its own.
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
