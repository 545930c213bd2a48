import GRDB
package import HaulCore

/// A folder that paths in the catalogue are relative to, as it was when the catalogue was last opened, or is now.
package struct StoredBase: Hashable, Sendable {
    /// The name by which it is found again.
    package var identifier: String
    /// Its path.
    package var path: String
    /// Its path without links.
    package var realPath: String

    /// Creates a base.
    package init(identifier: String, path: String, realPath: String) {
        (self.identifier, self.path, self.realPath) = (identifier, path, realPath)
    }
}

/// Named bases.
///
/// The catalogue holds whole paths, and in a table of their own the paths that the bases had when they were written. If a
/// base has another path at the next launch, all paths in it are rewritten, in one transaction. The table is created when
/// it is first needed, so that earlier versions can open a catalogue without bases.
extension Catalogue {
    /// Returns the bases that have moved since the catalogue was last opened with them.
    package func movedFolders(_ bases: [StoredBase]) throws(DownloadError) -> MovedFolders {
        let earlier = try reading(Self.bases)
        var moves: [MovedFolders.Move] = []
        for base in bases {
            guard let old = earlier[base.identifier] else { continue }
            moves.append(MovedFolders.Move(from: old.path, to: base.path))
            moves.append(MovedFolders.Move(from: old.realPath, to: old.path == base.path ? old.realPath : base.path))
        }
        return MovedFolders(moves)
    }

    /// Returns the records whose options pass and that may have a partial file.
    package func unfinished(where passes: (DownloadSpec) -> Bool) throws(DownloadError) -> [StoredRecord] {
        try reading { database in
            let rows = try Row.fetchAll(database, sql: "SELECT number, json FROM options")
            let numbers: [Int64] = try rows.compactMap { row in
                let options: DownloadSpec = try StoredJSON.value(row[1])
                return passes(options) ? row[0] : nil
            }
            return try numbers.flatMap { number in
                // Safe: see its declaration.
                try unsafe RecordReader.all(
                    "SELECT \(RecordColumn.list) FROM download WHERE options = ? AND state <> 4", [number], &interned,
                    database)
            }
        }
    }

    /// Rewrites the paths in folders that have moved, and records where the bases are now.
    package func rebase(_ moved: MovedFolders, _ bases: [StoredBase]) throws(DownloadError) {
        let earlier = try reading(Self.bases)
        guard earlier != Self.table(bases, over: earlier) else { return }
        try writing { database in
            // Safe: see its declaration. The numbers of options change.
            unsafe interned = InternedValues()
            if !moved.isEmpty { try Rebasing(moved, database).run() }
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS base (
                        identifier TEXT PRIMARY KEY, path TEXT NOT NULL, real_path TEXT NOT NULL) STRICT
                    """)
            for base in bases {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO base (identifier, path, real_path) VALUES (?, ?, ?)",
                    arguments: [base.identifier, base.path, base.realPath])
            }
        }
    }

    private static func bases(_ database: Database) throws -> [String: StoredBase] {
        guard try database.tableExists("base") else { return [:] }
        let rows = try Row.fetchAll(database, sql: "SELECT identifier, path, real_path FROM base")
        return table(rows.map { StoredBase(identifier: $0[0], path: $0[1], realPath: $0[2]) }, over: [:])
    }

    private static func table(_ bases: [StoredBase], over old: [String: StoredBase]) -> [String: StoredBase] {
        old.merging(bases.map { ($0.identifier, $0) }) { _, new in new }
    }
}

/// The rewriting of all paths in a catalogue.
private struct Rebasing {
    private let moved: MovedFolders
    private let database: Database
    private var keys: [(id: Int64, digest: [UInt8])] = []

    init(_ moved: MovedFolders, _ database: Database) {
        self.moved = moved
        self.database = database
    }

    consuming func run() throws {
        try rewriteOptions()
        for id in try Int64.fetchAll(database, sql: "SELECT id FROM download") { try rewrite(id) }
        try rewriteKeys()
        try rewriteEvents()
    }

    /// The options of different downloads may be equal afterwards.
    private func rewriteOptions() throws {
        for row in try Row.fetchAll(database, sql: "SELECT number, json FROM options") {
            let number: Int64 = row[0]
            guard let options: DownloadSpec = try? StoredJSON.value(row[1]) else { continue }
            let (new, old): (String, String) = (try StoredJSON.text(moved.spec(options)), row[1])
            guard new != old else { continue }
            if let other = try Int64.fetchOne(
                database, sql: "SELECT number FROM options WHERE json = ?", arguments: [new])
            {
                try database.execute(
                    sql: "UPDATE download SET options = ? WHERE options = ?", arguments: [other, number])
                try database.execute(sql: "DELETE FROM options WHERE number = ?", arguments: [number])
            } else {
                try database.execute(
                    sql: "UPDATE options SET json = ? WHERE number = ?", arguments: [new, number])
            }
        }
    }

    private mutating func rewrite(_ id: Int64) throws {
        let find = try database.cachedStatement(
            sql: """
                SELECT url, key_text, destination_kind, destination, range_start, range_end, target_path, finish,
                    earlier_finish FROM download WHERE id = ?
                """)
        guard let row = try Row.fetchOne(find, arguments: [id]) else { return }
        let (old, target): (String, String?) = (row[3], row[6])
        let (finish, earlier): (String?, String?) = (row[7], row[8])
        let path = moved.path(old)
        let change = try database.cachedStatement(
            sql: "UPDATE download SET destination = ?, target_path = ?, finish = ?, earlier_finish = ? WHERE id = ?")
        try change.execute(
            arguments: [path, target.map(moved.path), try finish.map(facts), try earlier.map(facts), id])
        guard path != old, (row[1] as String?) == nil else { return }
        // The key was derived from the destination.
        let kind: Int64 = row[2]
        var spec = DownloadSpec(
            url: row[0],
            destination: kind == 0 ? .file(path: path) : kind == 1 ? .folder(path: path) : .hashed(folder: path))
        if let start: Int64 = row[4], let end: Int64 = row[5] { spec.range = ByteRange(from: start, to: end) }
        keys.append((id, KeyDigest.bytes(of: spec.canonicalKey)))
    }

    /// Two steps, since a key may be another download's until that has its new one.
    private func rewriteKeys() throws {
        for (id, _) in keys {
            try database.cachedStatement(sql: "UPDATE download SET key = randomblob(16) WHERE id = ?")
                .execute(arguments: [id])
        }
        let change = try BoundStatement(database, "UPDATE OR IGNORE download SET key = ? WHERE id = ?")
        for (id, digest) in keys {
            change.bind(digest, 1)
            change.bind(id, 2)
            try change.run()
        }
    }

    private func rewriteEvents() throws {
        let rows = try Row.fetchAll(
            database, sql: "SELECT number, facts FROM event WHERE kind IN ('started', 'finished')")
        for row in rows {
            guard let kind: DownloadEvent.Kind = try? StoredJSON.value(row[1]) else { continue }
            let new: DownloadEvent.Kind
            switch kind {
            case .started(var facts):
                facts.path = moved.path(facts.path)
                new = .started(facts)
            case .finished(var facts):
                facts.path = moved.path(facts.path)
                new = .finished(facts)
            case .snapshot, .progress, .added, .waiting, .notice, .paused, .resumed, .sourceReplaced, .failed,
                .cancelled, .removed, .changed:
                continue
            }
            guard new != kind else { continue }
            let number: Int64 = row[0]
            try database.execute(
                sql: "UPDATE event SET facts = ? WHERE number = ?", arguments: [try StoredJSON.text(new), number])
        }
    }

    /// Returns the facts of a finish with the present path; unchanged if they can't be decoded.
    private func facts(_ text: String) throws -> String {
        guard var facts: FinishFacts = try? StoredJSON.value(text) else { return text }
        facts.path = moved.path(facts.path)
        return try StoredJSON.text(facts)
    }
}
