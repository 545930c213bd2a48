import GRDB

/// The tags of a record, which are stored in a table of their own.
enum TagRows {
    /// Writes the tags of a record that has none.
    static func write(_ tags: Set<String>, of id: Int64, _ database: Database) throws {
        let row = try BoundStatement(database, "INSERT INTO tag (download, name) VALUES (?, ?)")
        for tag in tags {
            row.bind(id, 1)
            row.bind(tag, 2)
            try row.run()
        }
    }

    /// Replaces the tags of a record.
    static func replace(_ tags: Set<String>, of id: Int64, _ database: Database) throws {
        let old = try BoundStatement(database, "DELETE FROM tag WHERE download = ?")
        old.bind(id, 1)
        try old.run()
        try write(tags, of: id, database)
    }

    /// Returns the tags of a record.
    static func read(of id: Int64, _ database: Database) throws -> Set<String> {
        try String.fetchSet(
            database.cachedStatement(sql: "SELECT name FROM tag WHERE download = ?"), arguments: [id])
    }
}
