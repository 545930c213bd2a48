import GRDB
package import HaulCore
import Synchronization

extension Catalogue {
    /// The number of the newest event; 0 if none was ever recorded.
    package var lastEvent: Int64 { newest.load(ordering: .sequentiallyConsistent) }

    /// The number of the oldest event that is kept; nil if there is none, or if it cannot be read.
    package var firstEvent: Int64? {
        try? reading { try Int64.fetchOne($0, sql: "SELECT min(number) FROM event") }
    }

    /// Returns the recorded events after a number, oldest first, at most `limit`.
    ///
    /// An event that cannot be decoded is returned as `changed`, so that the numbers have no gaps and a subscriber
    /// reads the state again.
    package func events(after number: Int64, limit: Int) throws(DownloadError) -> [DownloadEvent] {
        guard limit > 0 else { return [] }
        return try reading { database in
            let find = try database.cachedStatement(
                sql: "SELECT number, download, time, kind, facts FROM event WHERE number > ? ORDER BY number LIMIT ?")
            return try Row.fetchAll(find, arguments: [number, limit]).map {
                DownloadEvent(
                    number: $0[0], download: DownloadID(rawValue: $0[1]), time: StoredTime.date($0[2]),
                    kind: EventFacts.kind($0[3], $0[4]))
            }
        }
    }

    /// Deletes all but the newest events; all but the newest thousand if the list takes more space than is left on its disk.
    ///
    /// At least one is kept, so that no number is reused.
    package func pruneEvents(keeping count: Int) throws(DownloadError) {
        try pruneEvents(keeping: count, available: DiskSpace.available(at: name))
    }

    /// Deletes events as `pruneEvents(keeping:)` does on a disk with this free space in bytes; nil if it is unknown.
    func pruneEvents(keeping count: Int, available: Int64?) throws(DownloadError) {
        try writing { database in
            let used = try Int64.fetchOne(
                database,
                sql: """
                    SELECT (page_count - freelist_count) * page_size
                    FROM pragma_page_count, pragma_freelist_count, pragma_page_size
                    """)
            let isShort = if let used, let available { available < used } else { false }
            let count = isShort ? min(count, 1000) : count
            let limit = lastEvent.subtractingReportingOverflow(Int64(max(1, count)))
            guard !limit.overflow, limit.partialValue > 0 else { return }
            try database.execute(sql: "DELETE FROM event WHERE number <= ?", arguments: [limit.partialValue])
        }
    }

    /// Returns the downloads with one of these tags that were removed by an event after a number.
    package func removed(
        withOneOf tags: Set<String>, after number: Int64
    ) throws(DownloadError) -> Set<DownloadID> {
        try reading { database in
            let find = try database.cachedStatement(
                sql: """
                    SELECT download FROM event WHERE number > ?1 AND kind = 'removed' AND EXISTS (
                        SELECT 1 FROM json_each(facts, '$.removed.tags') AS own
                        WHERE own.value IN (SELECT value FROM json_each(?2)))
                    """)
            let ids = try Int64.fetchAll(find, arguments: [number, try StoredJSON.text(tags.sorted())])
            return Set(ids.map(DownloadID.init(rawValue:)))
        }
    }

    /// Records events within a transaction.
    func record(
        _ events: [DownloadEvent], tagsOfRemoved: [DownloadID: Set<String>] = [:], _ database: Database
    ) throws {
        guard let first = events.first else { return }
        try check(first.number)
        let row = try BoundStatement(
            database, "INSERT INTO event (number, download, time, kind, facts) VALUES (?, ?, ?, ?, ?)")
        // "Pause all" records the same facts for a million downloads: they are encoded once.
        // Safe: see its declaration.
        var facts = try unsafe EventFacts(first.kind, &interned.facts)
        var kind = first.kind
        for (index, event) in events.enumerated() {
            if event.kind != kind {
                // Safe: see its declaration.
                facts = try unsafe EventFacts(event.kind, &interned.facts)
                kind = event.kind
            }
            guard event.number == first.number + Int64(index) else { throw Self.misnumbered(event.number) }
            row.bind(event.number, 1)
            row.bind(event.download.rawValue, 2)
            row.bind(StoredTime.milliseconds(event.time), 3)
            row.bind(facts.name, 4)
            row.bind(try facts.json(tagsOfRemoved[event.download]), 5)
            try row.run()
        }
    }

    /// Throws an error if a number does not follow the newest one.
    func check(_ first: Int64) throws {
        guard first == lastEvent + 1 else { throw Self.misnumbered(first) }
    }

    /// Records that events up to a number are committed.
    ///
    /// Must be called after their transaction has succeeded.
    func recorded(upTo number: Int64?) {
        if let number { newest.store(number, ordering: .sequentiallyConsistent) }
    }

    private static func misnumbered(_ number: Int64) -> DownloadError {
        DownloadError(.internal, "event \(number) does not follow the one before it: please report it")
    }
}
