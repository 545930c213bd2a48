import GRDB
import HaulCore

/// A spec as columns of `download`: without secrets, and with shared values as numbers.
struct SpecColumns {
    /// The columns, in the order in which they are bound.
    static let names = """
        url, destination_kind, destination, checksum, range_start, range_end, options, label, host, priority,
        not_before, starts_at_once, starts_paused, lacks_secrets
        """
    private static let count: Int32 = 14

    private let spec: DownloadSpec
    /// True if secrets were removed, now or before.
    var lacksSecrets: Bool
    private let host: Int64
    private let options: Int64
    private let label: Int64?

    /// Removes the secrets from a spec and looks up its shared values.
    init(_ whole: DownloadSpec, _ host: Int64, _ interned: inout InternedValues, _ database: Database) throws {
        try self.init(stripped: whole.withoutSecrets(), host, &interned, database)
    }

    /// Looks up the shared values of a spec without secrets.
    init(
        stripped: (spec: DownloadSpec, lacksSecrets: Bool), _ host: Int64, _ interned: inout InternedValues,
        _ database: Database
    ) throws {
        (spec, lacksSecrets) = stripped
        self.host = host
        options = try interned.options(spec, database)
        label = try spec.group.map { try interned.label($0, database) }
    }

    /// Returns the parameters for the columns: `?7, ?8, …`.
    static func places(from first: Int32) -> String {
        (first..<first + count).map { "?\($0)" }.joined(separator: ", ")
    }

    /// Binds the values to the parameters from `first` on.
    func bind(to statement: BoundStatement, from first: Int32) {
        let (kind, path) = destination
        statement.bind(spec.url, first)
        statement.bind(kind, first + 1)
        statement.bind(path, first + 2)
        statement.bind(spec.checksum?.description, first + 3)
        statement.bind(spec.range?.lowerBound, first + 4)
        statement.bind(spec.range?.upperBound, first + 5)
        statement.bind(options, first + 6)
        statement.bind(label, first + 7)
        statement.bind(host, first + 8)
        statement.bind(Int64(min(max(spec.priority, -1000), 1000)), first + 9)
        statement.bind(spec.notBefore.map(StoredTime.milliseconds), first + 10)
        statement.bind(spec.startsAtOnce ? 1 : 0 as Int64, first + 11)
        statement.bind(spec.startsPaused ? 1 : 0 as Int64, first + 12)
        statement.bind(lacksSecrets ? 1 : 0 as Int64, first + 13)
    }

    private var destination: (Int64, String) {
        switch spec.destination {
        case .file(let path): (0, path)
        case .folder(let path): (1, path)
        case .hashed(let folder): (2, folder)
        }
    }
}

/// The downloads that a record waits for, which are stored in a table of their own.
enum DependencyRows {
    /// Writes the dependencies of a record that has none.
    static func write(_ after: Set<DownloadID>, of id: Int64, _ database: Database) throws {
        guard !after.isEmpty else { return }
        let row = try BoundStatement(database, "INSERT INTO dependency (download, after) VALUES (?, ?)")
        for other in after {
            row.bind(id, 1)
            row.bind(other.rawValue, 2)
            try row.run()
        }
    }

    /// Replaces the dependencies of a record.
    static func replace(_ after: Set<DownloadID>, of id: Int64, _ database: Database) throws {
        let old = try BoundStatement(database, "DELETE FROM dependency WHERE download = ?")
        old.bind(id, 1)
        try old.run()
        try write(after, of: id, database)
    }
}

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
