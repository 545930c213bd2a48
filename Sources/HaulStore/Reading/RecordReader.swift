import GRDB
import HaulCore

/// Creates records from rows; options that many of them share are decoded once.
enum RecordReader {
    /// Returns the records that a query over `RecordColumn.list` finds, in its order.
    static func all(
        _ sql: String, _ arguments: StatementArguments, _ interned: inout InternedValues, _ database: Database
    ) throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() { records.append(try record(RecordRow(row), &interned, database)) }
        return records
    }

    /// Creates the record of a row.
    ///
    /// A row that cannot be decoded does not affect others: it becomes a failed record with the reason.
    private static func record(
        _ row: RecordRow, _ interned: inout InternedValues, _ database: Database
    ) throws -> StoredRecord {
        let tags = try TagRows.read(of: row.id, database)
        do {
            let options = try interned.options(row[.optionsNumber]) { try row.json(.options) }
            return row.record(try row.spec(options, tags), try row.status)
        } catch {
            return row.record(row.plainSpec(tags), .failed(Self.unreadable(error)))
        }
    }

    private static func unreadable(_ error: any Error) -> DownloadError {
        let cause = (error as? RecordRow.Unreadable).map { "no \($0.column)" } ?? "\(type(of: error))"
        return DownloadError(
            .catalogueFailed, "can't read its record in the catalogue: remove it, and add the download again",
            cause: cause)
    }
}
