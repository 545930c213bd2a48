import GRDB
package import HaulCore

extension Catalogue {
    /// Holds queued and active downloads whose secrets were lost by a relaunch, each with an event.
    func holdWithoutSecrets(time: Int64) throws(DownloadError) {
        let number = lastEvent
        let count = try writing { database in
            // The partial index contains only records that lack secrets. Those that are being removed need none.
            let condition = "lacks_secrets = 1 AND state IN (0, 1) AND id NOT IN (SELECT download FROM removal)"
            let ids = try Int64.fetchAll(
                database,
                sql: "SELECT id FROM download WHERE \(condition) ORDER BY position")
            try database.execute(
                sql: """
                    UPDATE download SET state = 3, hold = 'credentials', changed = ?
                    WHERE \(condition)
                    """, arguments: [time])
            let events = ids.enumerated().map { index, id in
                DownloadEvent(
                    number: number + 1 + Int64(index), download: DownloadID(rawValue: id),
                    time: StoredTime.date(time), kind: .waiting(.credentials, until: nil))
            }
            try record(events, database)
            return Int64(events.count)
        }
        recorded(upTo: number + count)
    }

    /// Deletes shared values that no record uses any more, once there are many.
    ///
    /// It reads every record, so a few unused values are left alone.
    func dropUnused(beyond limit: Int = 2_000) throws(DownloadError) {
        let tables = try reading { database in
            try ["options", "host", "label"].filter {
                try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? 0 > limit
            }
        }
        guard !tables.isEmpty else { return }
        // Otherwise each deleted row would be looked up in every record to verify that nothing refers to it.
        try reading { try $0.execute(sql: "PRAGMA foreign_keys = OFF") }
        defer { _ = try? reading { try $0.execute(sql: "PRAGMA foreign_keys = ON") } }
        try writing { database in
            // Safe: see its declaration.
            unsafe interned = InternedValues()
            for table in tables {
                try database.execute(
                    sql: """
                        DELETE FROM \(table) WHERE number NOT IN
                            (SELECT \(table) FROM download WHERE \(table) IS NOT NULL)
                        """)
            }
        }
    }

    /// Returns up to `pages` free pages to the disk, and moves the write-ahead log into the file and empties it.
    ///
    /// A file of an earlier version keeps its free pages for new records.
    ///
    /// - Returns: True if there are more free pages to return.
    package func tidy(pages: Int = 4096) throws(DownloadError) -> Bool {
        try reading { database in
            func free() throws -> Int { try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0 }
            let before = try free()
            if before > 0 { try database.execute(sql: "PRAGMA incremental_vacuum(\(pages))") }
            let left = try free()
            if left == 0 || left == before { _ = empty(database) }
            return left > 0 && left < before
        }
    }
}
