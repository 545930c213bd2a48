import GRDB
package import HaulCore

extension Catalogue {
    /// The gap between neighbours: it allows twenty moves to one index before others must be renumbered.
    static let gap: Position = 1 << 20

    /// Moves a download to an index in the list; an index beyond the end means the end.
    ///
    /// Positions of other downloads change only if no number is left between the new neighbours, and then as few as
    /// possible.
    ///
    /// - Throws: `noSuchDownload` if it does not exist.
    package func move(_ id: DownloadID, to index: Int) throws(DownloadError) -> Moved {
        try writing { database in
            guard try Self.exists(id, database) else {
                throw DownloadError(.noSuchDownload, "download \(id) does not exist")
            }
            let (before, after) = try Self.neighbours(of: id, at: index, database)
            if let position = Self.between(before, after) {
                try Self.setPosition(id, position, database)
                return .to(position)
            }
            return .renumbered(try Renumbering(id, before: before, database).run())
        }
    }

    /// Returns a number between two neighbours, of which nil is the end of the list; nil if none is left.
    static func between(_ before: Position?, _ after: Position?) -> Position? {
        switch (before, after) {
        case (nil, nil): gap
        case (nil, let after?): after - gap
        case (let before?, nil): before + gap
        case (let before?, let after?): after - before > 1 ? before + (after - before) / 2 : nil
        }
    }

    /// Gives a download a position that no other has.
    static func setPosition(_ id: DownloadID, _ position: Position, _ database: Database) throws {
        try database.cachedStatement(sql: "UPDATE download SET position = ? WHERE id = ?")
            .execute(arguments: [position, id.rawValue])
    }

    private static func exists(_ id: DownloadID, _ database: Database) throws -> Bool {
        try Int64.fetchOne(database, sql: "SELECT id FROM download WHERE id = ?", arguments: [id.rawValue]) != nil
    }

    /// Returns the positions of the neighbours at an index, in the list without the download itself.
    private static func neighbours(
        of id: DownloadID, at index: Int, _ database: Database
    ) throws -> (before: Position?, after: Position?) {
        let offset = max(0, index - 1)
        let found = try Int64.fetchAll(
            database, sql: "SELECT position FROM download WHERE id <> ? ORDER BY position LIMIT 2 OFFSET ?",
            arguments: [id.rawValue, offset])
        if index <= 0 { return (nil, found.first) }
        if let first = found.first { return (first, found.dropFirst().first) }
        let last = try Int64.fetchOne(
            database, sql: "SELECT max(position) FROM download WHERE id <> ?", arguments: [id.rawValue])
        return (last, nil)
    }
}

/// The effect of a move on the positions.
package enum Moved: Sendable, Hashable {
    /// Only the moved download has a new position.
    case to(Position)
    /// The gap was used up: these downloads, including the moved one, have new positions, in list order.
    case renumbered([Placed])

    /// A download and its new position.
    package struct Placed: Sendable, Hashable {
        /// The download.
        package let id: DownloadID
        /// Its position.
        package let position: Position
    }
}
