import ArgumentParser
import HaulClient
import HaulCore
import HaulOptions
import HaulWire

/// `haul move`.
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a download to another position in the list.",
        discussion: "Among downloads of the same priority, the first in the list starts first.")

    @Argument(help: ArgumentHelp("Download number, as in haul list.", valueName: "id")) var id: String
    @Argument(help: ArgumentHelp("New position: top, bottom, or a number; 1 is the first.", valueName: "position"))
    var place: String
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        var problems = InvalidOptions()
        let ids = problems.read("") { () throws(DownloadError) in try Selection.ids(parsing: id) }
        let index = problems.read("") { () throws(DownloadError) in try Self.index(place) }
        guard problems.messages.isEmpty, let ids, let index else { throw problems }
        let (name, json) = (place, json)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            var found = ids
            // A range is moved as a whole, so a number that does not exist must not end it halfway.
            if ids.count > 1 { found = try await outcome.existing(ids, client) }
            for move in Self.moves(of: found, to: index) {
                let download = try await client.move(move.id, to: move.index)
                guard move.isLast else { continue }
                if json {
                    try outcome.write(download)
                } else {
                    outcome.say("moved \(move.id) to \(name)  \(download.name)")
                }
            }
        }
    }

    /// A move of one download, and whether it is the last one of that download.
    struct Move: Hashable {
        let id: DownloadID
        let index: Int
        var isLast = true
    }

    /// Returns the moves that put a range at a position, in its order.
    ///
    /// An index counts the other downloads, but some of the range may be above it and some below. So the whole range
    /// goes to the end of the list first: from there it can be counted.
    static func moves(of ids: [DownloadID], to index: Int) -> [Move] {
        guard ids.count > 1 else { return ids.map { Move(id: $0, index: index) } }
        guard index > 0 else { return ids.reversed().map { Move(id: $0, index: 0) } }
        guard index < end else { return ids.map { Move(id: $0, index: end) } }
        return ids.map { Move(id: $0, index: end, isLast: false) }
            + ids.enumerated().map { Move(id: $0.element, index: min(end, index + $0.offset)) }
    }

    /// An index beyond the end of any list, which the API takes for the end.
    private static let end = Int(Int32.max)

    /// Returns the position as the API counts it, from 0.
    static func index(_ text: String) throws(DownloadError) -> Int {
        switch text {
        case "top", "first": return 0
        case "bottom", "last": return end
        case _: return try WholeNumber.parse(text, in: 1...end) - 1
        }
    }
}
