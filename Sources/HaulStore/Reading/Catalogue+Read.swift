import GRDB
package import HaulCore

extension Catalogue {
    /// The record of a download; nil where there is none.
    package func record(_ id: DownloadID) throws(DownloadError) -> StoredRecord? {
        try reading { try Self.record("id = ?", id.rawValue, $0) }
    }

    /// The record that was added with this key; nil where there is none.
    package func record(key: String) throws(DownloadError) -> StoredRecord? {
        try reading { try Self.record("key = ?", KeyDigest.data(of: key), $0) }
    }

    /// The record at this place in the list, 0 being the first; nil where the list is shorter.
    package func record(at index: Int) throws(DownloadError) -> StoredRecord? {
        guard index >= 0 else { return nil }
        return try reading { database in
            let find = try database.cachedStatement(
                sql: "SELECT position FROM download ORDER BY position LIMIT 1 OFFSET ?")
            guard let position = try Int64.fetchOne(find, arguments: [index]) else { return nil }
            return try Self.record("position = ?", position, database)
        }
    }

    /// Whether a download other than this one that is not finished has its file at a path.
    ///
    /// It reads every record.
    package func isPlace(_ path: String, ofOtherThan id: DownloadID) throws(DownloadError) -> Bool {
        try reading { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM download WHERE target_path = ? AND id <> ? AND state <> ?)",
                arguments: [path, id.rawValue, StoredState.finished.number]) ?? false
        }
    }

    /// The records that pass, in list order or the other way round: at most `limit` of those behind a position, or of all.
    package func page(
        _ filter: StoredFilter, after position: Position? = nil, limit: Int, isReversed: Bool = false
    ) throws(DownloadError) -> [StoredRecord] {
        guard limit > 0 else { return [] }
        return try reading { database in
            let (sql, arguments) = try FilterSQL(filter, database)
                .page(RecordColumn.list, after: position, limit: limit, isReversed: isReversed)
            return try RecordReader.all(sql, arguments, database)
        }
    }

    /// The downloads whose records pass, in list order.
    package func ids(_ filter: StoredFilter) throws(DownloadError) -> [DownloadID] {
        try reading { database in
            let (sql, arguments) = try FilterSQL(filter, database).all("id", "ORDER BY position")
            return try Int64.fetchAll(database, sql: sql, arguments: arguments).map(DownloadID.init(rawValue:))
        }
    }

    /// How many records pass.
    package func count(_ filter: StoredFilter) throws(DownloadError) -> Int {
        try reading { database in
            let (sql, arguments) = try FilterSQL(filter, database).all("count(*)")
            return try Int.fetchOne(database, sql: sql, arguments: arguments) ?? 0
        }
    }

    /// How many records are in each state; a state that none is in is missing.
    package func counts() throws(DownloadError) -> [StoredState: Int] {
        try reading { database in
            var counts: [StoredState: Int] = [:]
            let rows = try Row.fetchAll(database, sql: "SELECT state, count(*) FROM download GROUP BY state")
            for row in rows { if let state = StoredState(number: row[0]) { counts[state] = row[1] } }
            return counts
        }
    }

    /// The host of a number; nil where there is none, or where it can't be read.
    package func hostName(_ number: Int32) -> String? {
        // Safe, as said at the declaration.
        try? reading { try unsafe interned.hostName(number, $0) }
    }

    /// Hands over what is queued or was at work, in list order within each of the two.
    package func queueEntries(_ body: (QueueRow) -> Void) throws(DownloadError) {
        try reading { database in
            for state in [StoredState.active, .queued] {
                let rows = try BoundStatement(
                    database, "SELECT \(QueueRow.columns) FROM download WHERE state = ? ORDER BY position")
                defer { rows.reset() }
                rows.bind(state.number, 1)
                while try rows.step() { body(QueueRow(rows, wasActive: state == .active)) }
            }
        }
    }

    /// What a scheduler needs of one download, whatever its state; nil where there is none.
    package func queueEntry(_ id: DownloadID) throws(DownloadError) -> QueueRow? {
        try reading { database in
            let row = try BoundStatement(database, "SELECT \(QueueRow.columns) FROM download WHERE id = ?")
            defer { row.reset() }
            row.bind(id.rawValue, 1)
            return try row.step() ? QueueRow(row, wasActive: false) : nil
        }
    }

    /// The one record that meets a condition on a unique column.
    static func record(
        _ condition: String, _ value: some DatabaseValueConvertible, _ database: Database
    ) throws -> StoredRecord? {
        let sql = "SELECT \(RecordColumn.list) FROM download WHERE \(condition)"
        return try RecordReader.all(sql, [value], database).first
    }
}
