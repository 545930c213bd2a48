import GRDB
package import HaulCore

extension Catalogue {
    /// Writes changes and their events in one transaction: either all are recorded, or none.
    ///
    /// Changes are made in order. The event of a removal keeps the tags of the record, see `removed(withOneOf:after:)`.
    /// Events must be numbered without gaps, beginning after `lastEvent`.
    ///
    /// - Throws: `noSuchDownload` if a record does not exist; in that case nothing is written.
    package func apply(_ changes: [RecordChange], events: [DownloadEvent]) throws(DownloadError) {
        try writing { database in
            let tags = try Self.tagsOfRemoved(changes, database)
            // Safe: see its declaration.
            for change in changes { try unsafe ChangeWriter(change.id, database).write(change.kind, &interned) }
            try record(events, tagsOfRemoved: tags, database)
        }
        recorded(upTo: events.last?.number)
    }

    /// Returns the tags of the records to be removed; those without any are omitted.
    private static func tagsOfRemoved(
        _ changes: [RecordChange], _ database: Database
    ) throws -> [DownloadID: Set<String>] {
        let removed = changes.filter { $0.kind == .remove }.map(\.id)
        // Avoids a million queries for a million records without tags.
        guard !removed.isEmpty, try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM tag)") ?? false else {
            return [:]
        }
        var tags: [DownloadID: Set<String>] = [:]
        for id in removed {
            let own = try TagRows.read(of: id.rawValue, database)
            if !own.isEmpty { tags[id] = own }
        }
        return tags
    }
}

/// Writes the changes of one record.
struct ChangeWriter {
    private let id: DownloadID
    private let database: Database

    /// Creates a writer for a record.
    init(_ id: DownloadID, _ database: Database) {
        self.id = id
        self.database = database
    }

    /// Writes one change.
    func write(_ kind: RecordChange.Kind, _ interned: inout InternedValues) throws {
        switch kind {
        case .state(let status, let time): try write(status, time, &interned.facts)
        case .targetPath(let path, let total, let file): try write(path, total, file)
        case .done(let bytes, let total):
            try run("UPDATE download SET done = ?1, total = coalesce(?2, total) WHERE id = ?3") {
                $0.bind(max(0, bytes), 1)
                $0.bind(total, 2)
            }
        case .spec(let spec): try write(spec, &interned)
        case .replacedSources(let sources):
            let text = sources.isEmpty ? nil : sources.joined(separator: " ")
            try run("UPDATE download SET replaced_sources = ?1 WHERE id = ?2") { $0.bind(text, 1) }
        case .hasPendingTerminalEvent(let isPending):
            try run("UPDATE download SET pending_terminal_event = ?1 WHERE id = ?2") {
                $0.bind(isPending ? 1 : 0 as Int64, 1)
            }
        case .removal(let files):
            try run("INSERT OR REPLACE INTO removal (files, download) SELECT ?1, id FROM download WHERE id = ?2") {
                $0.bind(files.rawValue, 1)
            }
        case .remove: try run("DELETE FROM download WHERE id = ?1") { _ in }
        }
    }

    private func write(_ status: StoredStatus, _ time: Int64, _ encoder: inout FactsEncoder) throws {
        let columns = try StatusColumns(status, &encoder)
        try run(
            """
            UPDATE download SET state = ?1, has_begun = has_begun OR ?1 = \(StoredState.active.number), changed = ?2, pause = ?3, hold = ?4, error = ?5, finish = ?6, kept = ?7,
                earlier_finish = CASE WHEN ?6 IS NULL THEN coalesce(finish, earlier_finish) END,
                target_path = coalesce(?8, target_path), total = coalesce(?9, total), done = coalesce(?9, done) WHERE id = ?10
            """
        ) {
            $0.bind(status.state.number, 1)
            $0.bind(time, 2)
            columns.bind(to: $0, from: 3)
        }
        // A removal that could not begin: the download is used again.
        guard status.state == .queued || status.state == .active else { return }
        let statement = try BoundStatement(database, "DELETE FROM removal WHERE download = ?1")
        statement.bindLast(id.rawValue)
        try statement.run()
    }

    private func write(_ path: String?, _ total: Int64?, _ file: FileIdentity?) throws {
        try run("UPDATE download SET target_path = ?1, total = ?2, device = ?3, inode = ?4, born = ?5 WHERE id = ?6") {
            $0.bind(path, 1)
            $0.bind(total, 2)
            $0.bind(file.map { Int64(bitPattern: $0.device) }, 3)
            $0.bind(file.map { Int64(bitPattern: $0.inode) }, 4)
            $0.bind(file?.born, 5)
        }
    }

    private func write(_ spec: DownloadSpec, _ interned: inout InternedValues) throws {
        guard let old = try Catalogue.record("id = ?", id.rawValue, &interned, database) else { throw missing }
        // A key that was derived from the old URL is now stored as text, because it cannot be derived from the new one.
        let keyText = spec.withoutSecrets().spec.canonicalKey.hasBytes(of: old.key) ? nil : old.key
        let host = try interned.host((try? SourceURL(parsing: spec.url))?.host ?? "", database)
        var columns = try SpecColumns(spec, host, &interned, database)
        columns.lacksSecrets = columns.lacksSecrets || old.lacksSecrets && spec.stillLacksSecrets(of: old.spec)
        try run(
            "UPDATE download SET (key_text, \(SpecColumns.names)) = (?1, \(SpecColumns.places(from: 2))) WHERE id = ?16"
        ) {
            $0.bind(keyText, 1)
            columns.bind(to: $0, from: 2)
        }
        try TagRows.replace(spec.tags, of: id.rawValue, database)
        try DependencyRows.replace(spec.after, of: id.rawValue, database)
    }

    /// Runs a statement whose last parameter is the id.
    private func run(_ sql: String, bind: (BoundStatement) throws -> Void) throws {
        let statement = try BoundStatement(database, sql)
        try bind(statement)
        statement.bindLast(id.rawValue)
        try statement.run()
        guard database.changesCount > 0 else { throw missing }
    }

    private var missing: DownloadError {
        DownloadError(.noSuchDownload, "download \(id) does not exist")
    }
}
