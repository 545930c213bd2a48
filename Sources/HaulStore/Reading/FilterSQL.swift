import GRDB
import HaulCore

/// A filter as SQL: its conditions, and the values that are bound.
struct FilterSQL {
    /// The conditions except for the state; empty if all rows match.
    private(set) var conditions: [String] = []
    /// The values, in order.
    private(set) var values: [any DatabaseValueConvertible] = []
    /// The matching states; nil for all.
    let states: [Int64]?

    /// Translates a filter.
    init(_ filter: StoredFilter, _ database: Database) throws {
        // Only records in these states have an error, so the others need not be read.
        let withError: Set<StoredState>? = filter.codes == nil ? nil : [.failed, .held]
        states = (withError.map { filter.states?.intersection($0) ?? $0 } ?? filter.states).map {
            $0.map(\.number).sorted()
        }
        if let ids = filter.ids { add("id IN (\(Self.list))", try StoredJSON.text(ids.map(\.rawValue))) }
        if let keys = filter.keys {
            let find = try database.cachedStatement(sql: "SELECT id FROM download WHERE key = ?")
            let ids = try keys.compactMap { try Int64.fetchOne(find, arguments: [KeyDigest.data(of: $0)]) }
            add("id IN (\(Self.list))", try StoredJSON.text(ids))
        }
        if let urls = filter.urls {
            let ids = try SourceSearch(urls).ids(database)
            add("id IN (\(Self.list))", try StoredJSON.text(ids))
        }
        if let groups = filter.groups {
            add(
                "label IN (SELECT number FROM label WHERE name IN (\(Self.list)))", try StoredJSON.text(groups.sorted())
            )
        }
        if let tags = filter.tags {
            add("id IN (SELECT download FROM tag WHERE name IN (\(Self.list)))", try StoredJSON.text(tags.sorted()))
        }
        for tag in (filter.requiredTags ?? []).sorted() { add("id IN (SELECT download FROM tag WHERE name = ?#)", tag) }
        if let codes = filter.codes {
            add(
                "json_extract(error, '$.code') IN (\(Self.list))", try StoredJSON.text(codes.map(\.rawValue).sorted()))
        }
        if let hosts = filter.hosts {
            add("host IN (SELECT number FROM host WHERE name IN (\(Self.list)))", try StoredJSON.text(hosts.sorted()))
        }
        if let text = filter.text, !text.isEmpty { add(text: text) }
    }

    /// Returns a query for at most `limit` rows after a position, in list order or in reverse.
    ///
    /// It has one part for each state, which reads its own section of the index. So three failures among a million are
    /// found at once, and so is the next page of the million.
    func page(
        _ columns: String, after position: Position?, limit: Int, isReversed: Bool = false
    ) -> (sql: String, arguments: StatementArguments) {
        var values = values
        var shared = conditions
        if let position {
            values.append(position)
            shared.append("position \(isReversed ? "<" : ">") ?\(values.count)")
        }
        values.append(limit)
        let end = "ORDER BY position\(isReversed ? " DESC" : "") LIMIT ?\(values.count)"
        let parts = (states?.map { ["state = \($0)"] + shared } ?? [shared]).map {
            "SELECT * FROM (SELECT \(columns) FROM download\(Self.clause($0)) \(end))"
        }
        guard !parts.isEmpty else { return ("SELECT \(columns) FROM download WHERE 0", []) }
        return ("\(parts.joined(separator: " UNION ALL ")) \(end)", StatementArguments(values))
    }

    /// Returns a query for all matching rows.
    func all(_ columns: String, _ end: String = "") -> (sql: String, arguments: StatementArguments) {
        let state = states.map { ["state IN (\($0.map(String.init).joined(separator: ", ")))"] } ?? []
        return ("SELECT \(columns) FROM download\(Self.clause(state + conditions)) \(end)", StatementArguments(values))
    }

    private mutating func add(_ condition: String, _ value: some DatabaseValueConvertible) {
        values.append(value)
        conditions.append(condition.replacing("?#", with: "?\(values.count)"))
    }

    private mutating func add(text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            // LIKE is case-insensitive only for ASCII.
            let pattern = text.reduce(into: "%") { $0 += "%_\\".contains($1) ? "\\\($1)" : "\($1)" } + "%"
            add(Self.columns.map { "\($0) LIKE ?# ESCAPE '\\'" }.joined(separator: " OR "), pattern)
        } else {
            add(Self.columns.map { "haul_contains(\($0), ?#)" }.joined(separator: " OR "), text.lowercased())
        }
        conditions[conditions.count - 1] = "(\(conditions[conditions.count - 1]))"
    }

    private static func clause(_ conditions: [String]) -> String {
        conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    private static let columns = ["url", "destination", "coalesce(target_path, '')"]
    private static let list = "SELECT value FROM json_each(?#)"

    /// `haul_contains(text, part)`: true if a text contains a lowercase part, in any script and case.
    static let containsFunction = DatabaseFunction("haul_contains", argumentCount: 2, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]), let part = String.fromDatabaseValue(values[1]) else {
            return false
        }
        return text.lowercased().contains(part)
    }
}
