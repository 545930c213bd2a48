import GRDB
package import HaulCore

extension Catalogue {
    /// Adds records at the end of the list, each with an `added` event, in one transaction.
    ///
    /// The events of the added records are numbered from `firstEvent` on, without gaps. Records whose key exists change
    /// nothing. A failure adds nothing.
    ///
    /// - Parameters:
    ///   - new: The records, in list order.
    ///   - firstEvent: The number after `lastEvent`.
    ///   - time: The time, in milliseconds since 1970.
    package func insert(_ new: [NewRecord], firstEvent: Int64, time: Int64) throws(DownloadError) -> [Inserted] {
        let results = try writing { database in
            try check(firstEvent)
            let last = try Int64.fetchOne(database, sql: "SELECT max(position) FROM download") ?? 0
            let lastID = try Int64.fetchOne(database, sql: "SELECT max(id) FROM download") ?? 0
            var insertion = try Insertion(database, position: last, event: firstEvent, time: time)
            // Safe: see its declaration.
            let results = try new.map { try unsafe insertion.insert($0, &interned) }
            // Ids increase, so these are the new ones, in the order in which they were added.
            try database.execute(
                sql: """
                    INSERT INTO event (number, download, time, kind)
                    SELECT ? - 1 + row_number() OVER (ORDER BY id), id, ?, 'added' FROM download WHERE id > ?
                    """, arguments: [firstEvent, time, lastID])
            return results
        }
        let added = results.count { if case .added = $0 { true } else { false } }
        recorded(upTo: firstEvent - 1 + Int64(added))
        return results
    }
}

/// A batch that is being added.
private struct Insertion {
    private let database: Database
    private let row: BoundStatement
    private var position: Position
    private var number: Int64
    private let time: Int64

    init(_ database: Database, position: Position, event number: Int64, time: Int64) throws {
        self.database = database
        self.position = position
        self.number = number
        self.time = time
        row = try BoundStatement(
            database,
            """
            INSERT INTO download (position, state, added, changed, key, key_text, pause, done, has_begun,
                \(SpecColumns.names)) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, 0, 0, \(SpecColumns.places(from: 7)))
            ON CONFLICT (key) DO NOTHING
            """)
    }

    mutating func insert(_ new: NewRecord, _ interned: inout InternedValues) throws -> Inserted {
        guard new.state == .queued || new.state == .paused else {
            throw DownloadError(.internal, "a download can't be added as \(new.state.rawValue)")
        }
        let digest = KeyDigest.bytes(of: new.key)
        let host = try interned.host(new.host, database)
        let next = position + Catalogue.gap
        row.bind(next, 1)
        row.bind(new.state.number, 2)
        row.bind(time, 3)
        row.bind(digest, 4)
        row.bind(new.isKeyDerived ? nil : new.key, 5)
        row.bind(new.state == .paused ? PauseReason.asked.rawValue : nil, 6)
        try SpecColumns(stripped: (new.spec, new.lacksSecrets), host, &interned, database).bind(to: row, from: 7)
        try row.run()
        guard database.changesCount > 0 else { return .present(try Self.id(of: digest, database)) }
        let id = database.lastInsertedRowID
        if !new.spec.tags.isEmpty { try TagRows.write(new.spec.tags, of: id, database) }
        try DependencyRows.write(new.spec.after, of: id, database)
        position = next
        defer { number += 1 }
        return .added(DownloadID(rawValue: id), position: next, host: Int32(clamping: host), event: number)
    }

    private static func id(of digest: [UInt8], _ database: Database) throws -> DownloadID {
        let find = try BoundStatement(database, "SELECT id FROM download WHERE key = ?")
        defer { find.reset() }
        find.bind(digest, 1)
        guard try find.step() else { throw DownloadError(.internal, "a key is neither new nor known") }
        return DownloadID(rawValue: find.integer(0))
    }
}
