import GRDB
import HaulCore

/// Creates records from rows; options that many of them share are decoded once.
struct RecordReader {
    private let database: Database
    private var known: [Int64: DownloadSpec] = [:]

    /// Creates a reader for one access to the database.
    init(_ database: Database) { self.database = database }

    /// Returns the records that a query over `RecordColumn.list` finds, in its order.
    static func all(_ sql: String, _ arguments: StatementArguments, _ database: Database) throws -> [StoredRecord] {
        var reader = RecordReader(database)
        var records: [StoredRecord] = []
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() { records.append(try reader.record(RecordRow(row))) }
        return records
    }

    /// Creates the record of a row.
    ///
    /// A row that cannot be decoded does not affect others: it becomes a failed record with the reason.
    private mutating func record(_ row: RecordRow) throws -> StoredRecord {
        let tags = try TagRows.read(of: row.id, database)
        do {
            return row.record(try row.spec(options(row), tags), try row.status)
        } catch {
            return row.record(row.plainSpec(tags), .failed(Self.unreadable(error)))
        }
    }

    private mutating func options(_ row: RecordRow) throws -> DownloadSpec {
        let number: Int64 = row[.optionsNumber]
        if let options = known[number] { return options }
        let options: DownloadSpec = try row.json(.options)
        known[number] = options
        return options
    }

    private static func unreadable(_ error: any Error) -> DownloadError {
        let cause = (error as? RecordRow.Unreadable).map { "no \($0.column)" } ?? "\(type(of: error))"
        return DownloadError(
            .catalogueFailed, "can't read its record in the catalogue: remove it, and add the download again",
            cause: cause)
    }
}
