import GRDB

/// A table of texts that are stored once, each with a number, and a cache of numbers.
struct NumberedTable<Value: Hashable> {
    private let table: String
    private let column: String
    private let cachesOnlyASCII: Bool
    private var numbers: [Value: Int64] = [:]
    // Most lists look up the same value repeatedly: comparing is cheaper than hashing.
    private var last: (value: Value, number: Int64)?

    /// The number of cached numbers after which the cache is emptied.
    static var capacity: Int { 20_000 }

    /// Creates an empty cache of a table with the columns `number` and `column`.
    ///
    /// - Parameter cachesOnlyASCII: True if values with other texts can be equal without having the same text.
    init(_ table: String, _ column: String, cachesOnlyASCII: Bool = false) {
        (self.table, self.column, self.cachesOnlyASCII) = (table, column, cachesOnlyASCII)
    }

    /// Returns the number of a value; its text is computed only if it is not cached.
    mutating func number(of value: Value, _ database: Database, text: () throws -> String) throws -> Int64 {
        if let last, last.value == value { return last.number }
        if let number = numbers[value] {
            last = (value, number)
            return number
        }
        let text = try text()
        let number = try stored(text, database)
        guard !cachesOnlyASCII || text.utf8.allSatisfy({ $0 < 0x80 }) else { return number }
        if numbers.count >= Self.capacity { numbers = [:] }
        numbers[value] = number
        last = (value, number)
        return number
    }

    private func stored(_ text: String, _ database: Database) throws -> Int64 {
        let find = try database.cachedStatement(sql: "SELECT number FROM \(table) WHERE \(column) = ?")
        if let number = try Int64.fetchOne(find, arguments: [text]) { return number }
        try database.cachedStatement(sql: "INSERT INTO \(table) (\(column)) VALUES (?)").execute(arguments: [text])
        return database.lastInsertedRowID
    }
}
