/// The columns of a record, in the order of a query's result.
///
/// Access is by index rather than by name: a name would be looked up again in each row.
enum RecordColumn: Int, CaseIterable {
    case id, position, state, priority, host, added, changed, total, done, destination, url, checksum, targetPath,
        device
    case inode, born, pause, hold, error, finish, kept, earlierFinish
    case notBefore, startsAtOnce, startsPaused, lacksSecrets, hasBegun, replacedSources, destinationKind, keyText
    case rangeStart, rangeEnd, optionsNumber, options, group, after

    /// All columns, as selected from `download`.
    static let list = allCases.map(\.sql).joined(separator: ", ")

    /// The SQL of the column.
    ///
    /// Values of other tables are selected by scalar subqueries, which keep the query on the one index that provides
    /// its order.
    private var sql: String {
        switch self {
        case .notBefore: "not_before"
        case .startsAtOnce: "starts_at_once"
        case .startsPaused: "starts_paused"
        case .lacksSecrets: "lacks_secrets"
        case .hasBegun: "has_begun"
        case .replacedSources: "replaced_sources"
        case .destinationKind: "destination_kind"
        case .targetPath: "target_path"
        case .earlierFinish: "earlier_finish"
        case .keyText: "key_text"
        case .rangeStart: "range_start"
        case .rangeEnd: "range_end"
        case .optionsNumber: "options"
        case .options: "(SELECT json FROM options WHERE number = download.options)"
        case .after: "(SELECT group_concat(after) FROM dependency WHERE dependency.download = download.id)"
        case .group: "(SELECT name FROM label WHERE number = download.label)"
        case .id, .position, .state, .priority, .host, .added, .changed, .total, .done, .destination, .url, .checksum,
            .device, .inode, .born, .pause, .hold, .error, .finish, .kept:
            "\(self)"
        }
    }
}
