import GRDB
package import HaulCore

extension Catalogue {
    /// Returns the record of a download; nil if there is none.
    package func record(_ id: DownloadID) throws(DownloadError) -> StoredRecord? {
        // Safe: see its declaration.
        try reading { try unsafe Self.record("id = ?", id.rawValue, &interned, $0) }
    }

    /// Returns the record that was added with this key; nil if there is none.
    package func record(key: String) throws(DownloadError) -> StoredRecord? {
        // Safe: see its declaration.
        try reading { try unsafe Self.record("key = ?", KeyDigest.data(of: key), &interned, $0) }
    }

    /// Returns the record at this index in the list; nil if the list is shorter.
    package func record(at index: Int) throws(DownloadError) -> StoredRecord? {
        guard index >= 0 else { return nil }
        return try reading { database in
            let find = try database.cachedStatement(
                sql: "SELECT position FROM download ORDER BY position LIMIT 1 OFFSET ?")
            guard let position = try Int64.fetchOne(find, arguments: [index]) else { return nil }
            // Safe: see its declaration.
            return try unsafe Self.record("position = ?", position, &interned, database)
        }
    }

    /// Returns true if another download that is not finished has its file at a path.
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

    /// Returns the matching records in list order or in reverse: at most `limit`, beginning after a position if one is
    /// given.
    package func page(
        _ filter: StoredFilter, after position: Position? = nil, limit: Int, isReversed: Bool = false
    ) throws(DownloadError) -> [StoredRecord] {
        guard limit > 0 else { return [] }
        return try reading { database in
            let (sql, arguments) = try FilterSQL(filter, database)
                .page(RecordColumn.list, after: position, limit: limit, isReversed: isReversed)
            // Safe: see its declaration.
            return try unsafe RecordReader.all(sql, arguments, &interned, database)
        }
    }

    /// Returns the downloads whose records match, in list order.
    package func ids(_ filter: StoredFilter) throws(DownloadError) -> [DownloadID] {
        try reading { database in
            let (sql, arguments) = try FilterSQL(filter, database).all("id", "ORDER BY position")
            return try Int64.fetchAll(database, sql: sql, arguments: arguments).map(DownloadID.init(rawValue:))
        }
    }

    /// Returns a page of the downloads whose records match, in list order, and the position after which the next page
    /// begins; nil if there is none.
    package func ids(
        _ filter: StoredFilter, after position: Position?, limit: Int
    ) throws(DownloadError) -> (ids: [DownloadID], next: Position?) {
        try reading { database in
            let (sql, arguments) = try FilterSQL(filter, database).page("id, position", after: position, limit: limit)
            var ids: [DownloadID] = []
            var last: Position?
            let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
            while let row = try rows.next() {
                ids.append(DownloadID(rawValue: row[0]))
                last = row[1]
            }
            return (ids, ids.count < limit ? nil : last)
        }
    }

    /// Returns what decisions about these downloads depend on, in their order; those that do not exist are omitted.
    package func standings(_ ids: some Sequence<DownloadID>) throws(DownloadError) -> [StoredStanding] {
        try reading { database in
            var standings: [StoredStanding] = []
            // Without a transaction, the file would be locked for each of them.
            try database.inTransaction(.deferred) {
                let find = try BoundStatement(database, "SELECT state, has_begun FROM download WHERE id = ?")
                for id in ids {
                    defer { find.reset() }
                    find.bind(id.rawValue, 1)
                    guard try find.step() else { continue }
                    // A record with an unknown state reads as failed.
                    let state = StoredState(number: find.integer(0)) ?? .failed
                    standings.append(StoredStanding(id: id, state: state, hasBegun: find.integer(1) != 0))
                }
                return .commit
            }
            return standings
        }
    }

    /// Returns the number of matching records.
    package func count(_ filter: StoredFilter) throws(DownloadError) -> Int {
        try reading { database in
            let (sql, arguments) = try FilterSQL(filter, database).all("count(*)")
            return try Int.fetchOne(database, sql: sql, arguments: arguments) ?? 0
        }
    }

    /// Returns the number of records in each state; states without records are omitted.
    package func counts() throws(DownloadError) -> [StoredState: Int] {
        try reading { database in
            var counts: [StoredState: Int] = [:]
            let rows = try Row.fetchAll(database, sql: "SELECT state, count(*) FROM download GROUP BY state")
            for row in rows { if let state = StoredState(number: row[0]) { counts[state] = row[1] } }
            return counts
        }
    }

    /// Returns the host with a number; nil if there is none, or if it cannot be read.
    package func hostName(_ number: Int32) -> String? {
        // Safe: see its declaration.
        try? reading { try unsafe interned.hostName(number, $0) }
    }

    /// Passes all queued and active downloads to a closure, in list order within each of the two states.
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

    /// Returns the row that a scheduler needs for one download, whatever its state; nil if there is none.
    package func queueEntry(_ id: DownloadID) throws(DownloadError) -> QueueRow? {
        try reading { database in
            let row = try BoundStatement(database, "SELECT \(QueueRow.columns) FROM download WHERE id = ?")
            defer { row.reset() }
            row.bind(id.rawValue, 1)
            return try row.step() ? QueueRow(row, wasActive: false) : nil
        }
    }

    /// Returns the downloads that must still finish before others, or before this one; see
    /// `DownloadSpec.Queueing.after`.
    package func blockers(of id: DownloadID? = nil) throws(DownloadError) -> [(download: DownloadID, after: DownloadID)]
    {
        try reading { database in
            let rows = try BoundStatement(
                database,
                """
                SELECT download, after FROM dependency JOIN download AS other ON other.id = after
                WHERE other.state <> \(StoredState.finished.number)\(id == nil ? "" : " AND download = ?1")
                """)
            defer { rows.reset() }
            if let id { rows.bind(id.rawValue, 1) }
            var result: [(download: DownloadID, after: DownloadID)] = []
            while try rows.step() {
                result.append((DownloadID(rawValue: rows.integer(0)), DownloadID(rawValue: rows.integer(1))))
            }
            return result
        }
    }

    /// The downloads that have not finished, and must do so before others that have not finished either.
    package var awaited: Set<DownloadID> {
        get throws(DownloadError) {
            try reading { database in
                let finished = StoredState.finished.number
                let rows = try BoundStatement(
                    database,
                    """
                    SELECT DISTINCT after FROM dependency JOIN download AS other ON other.id = after
                    JOIN download AS own ON own.id = dependency.download
                    WHERE other.state <> \(finished) AND own.state <> \(finished)
                    """)
                defer { rows.reset() }
                var result: Set<DownloadID> = []
                while try rows.step() { result.insert(DownloadID(rawValue: rows.integer(0))) }
                return result
            }
        }
    }

    /// True if some download waits for another one, or has waited for one.
    package var hasDependencies: Bool {
        get throws(DownloadError) {
            try reading { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM dependency)") ?? false }
        }
    }

    /// Returns the record that matches a condition on a unique column.
    static func record(
        _ condition: String, _ value: some DatabaseValueConvertible, _ interned: inout InternedValues,
        _ database: Database
    ) throws -> StoredRecord? {
        let sql = "SELECT \(RecordColumn.list) FROM download WHERE \(condition)"
        return try RecordReader.all(sql, [value], &interned, database).first
    }
}
