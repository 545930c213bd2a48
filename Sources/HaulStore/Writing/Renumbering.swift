import GRDB
import HaulCore

/// Makes room in a crowded section of the list by spreading it over a wider one.
struct Renumbering {
    private let moved: DownloadID
    private let before: Position
    private let database: Database
    /// The minimum of every gap afterwards.
    private static let smallestGap: Position = 1 << 10

    /// Prepares to move a download behind a position.
    init(_ moved: DownloadID, before: Position?, _ database: Database) {
        self.moved = moved
        self.before = before ?? 0
        self.database = database
    }

    /// Spreads the smallest surrounding section that has room, and returns the new positions in list order.
    func run() throws -> [Moved.Placed] {
        var reach = 16
        while true {
            let lower = try neighbours("<=", "DESC", reach + 1)
            let upper = try neighbours(">", "ASC", reach + 1)
            let ids = lower.prefix(reach).map(\.id).reversed() + [moved] + upper.prefix(reach).map(\.id)
            let floor = lower.count > reach ? lower[reach].position : nil
            let ceiling = upper.count > reach ? upper[reach].position : nil
            if let positions = Self.spread(ids.count, floor, ceiling) {
                return try write(zip(ids, positions).map { Moved.Placed(id: $0, position: $1) })
            }
            reach *= 2
        }
    }

    /// Returns positions for a number of downloads between two that are not moved, of which nil is the end of the list;
    /// nil if there is not enough room.
    static func spread(_ count: Int, _ floor: Position?, _ ceiling: Position?) -> [Position]? {
        let parts = Position(count) + 1
        switch (floor, ceiling) {
        case (nil, nil): return (1..<parts).map { $0 * Catalogue.gap }
        case (nil, let ceiling?): return (1..<parts).map { ceiling - (parts - $0) * Catalogue.gap }
        case (let floor?, nil): return (1..<parts).map { floor + $0 * Catalogue.gap }
        case (let floor?, let ceiling?):
            let step = (ceiling - floor) / parts
            return step < smallestGap ? nil : (1..<parts).map { floor + $0 * step }
        }
    }

    private func neighbours(
        _ side: String, _ order: String, _ count: Int
    ) throws -> [(id: DownloadID, position: Position)] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT id, position FROM download WHERE position \(side) ? AND id <> ?
                ORDER BY position \(order) LIMIT ?
                """,
            arguments: [before, moved.rawValue, count]
        ).map { (DownloadID(rawValue: $0[0]), $0[1]) }
    }

    // Positions are unique at every instant, so all are first moved out of the way, to otherwise unused numbers.
    private func write(_ placed: [Moved.Placed]) throws -> [Moved.Placed] {
        for (index, item) in placed.enumerated() {
            try Catalogue.setPosition(item.id, Position.min + Position(index), database)
        }
        for item in placed { try Catalogue.setPosition(item.id, item.position, database) }
        return placed
    }
}
