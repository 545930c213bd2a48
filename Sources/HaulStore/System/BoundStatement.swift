import GRDB
import GRDBSQLite

/// A prepared statement for code that runs a million times, without GRDB's boxing of every value.
///
/// It must not outlive the access to the database in which it was created: GRDB keeps and frees the statement itself.
@safe struct BoundStatement {
    private let handle: OpaquePointer
    private let database: Database
    // SQLITE_TRANSIENT is a macro that Swift cannot import: the value -1, for which SQLite copies the bound value.
    // Safe: SQLite compares it with -1 and never calls it.
    private var transient: sqlite3_destructor_type? { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type?.self) }

    /// Takes a statement from the connection's cache, or prepares it.
    init(_ database: Database, _ sql: String) throws {
        unsafe handle = try database.cachedStatement(sql: sql).sqliteStatement
        self.database = database
    }

    // Safe, for all of the following: the handle belongs to the connection, which outlives this value, and is used on
    // the connection's own queue; texts and blobs are copied before the call returns.

    /// Binds an integer, or NULL; the first parameter is 1.
    func bind(_ value: Int64?, _ index: Int32) {
        if let value {
            _ = unsafe sqlite3_bind_int64(handle, index, value)
        } else {
            _ = unsafe sqlite3_bind_null(handle, index)
        }
    }

    /// Binds a text, or NULL.
    func bind(_ value: String?, _ index: Int32) {
        guard var value else { return bind(nil as Int64?, index) }
        // An empty buffer has no address, which SQLite would treat as NULL.
        guard !value.isEmpty else { return _ = unsafe sqlite3_bind_text(handle, index, "", 0, transient) }
        value.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                _ = unsafe sqlite3_bind_text(handle, index, text.baseAddress, Int32(text.count), transient)
            }
        }
    }

    /// Binds an integer to the parameter with the highest number.
    func bindLast(_ value: Int64) { bind(value, unsafe sqlite3_bind_parameter_count(handle)) }

    /// Binds bytes.
    func bind(_ value: [UInt8], _ index: Int32) {
        _ = unsafe value.withUnsafeBytes {
            unsafe sqlite3_bind_blob(handle, index, $0.baseAddress, Int32($0.count), transient)
        }
    }

    /// Runs the statement to its end and resets it for the next values.
    func run() throws {
        while try step() {}
        reset()
    }

    /// Advances to the next row; returns false if there is none.
    func step() throws -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let connection = unsafe sqlite3_db_handle(handle)
            // Safe: the text belongs to the connection until its next call, and is copied at once.
            let message = unsafe String(cString: sqlite3_errmsg(connection))
            reset()
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    /// Resets the statement for the next values.
    func reset() { unsafe sqlite3_reset(handle) }

    /// Returns true if a column of the current row is NULL; the first column is 0.
    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns a text of the current row; empty for NULL.
    func text(_ column: Int32) -> String {
        guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
        // Safe: the text is valid until the next step, and is copied at once.
        return unsafe String(cString: text)
    }

    /// Returns an integer of the current row.
    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }
}
