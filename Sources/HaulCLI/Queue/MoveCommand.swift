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
            // The last download of a range is moved first, so that the range keeps its order.
            for id in ids.reversed() {
                let download = try await client.move(id, to: index)
                if json {
                    try outcome.write(download)
                } else {
                    outcome.say("moved \(id) to \(name)  \(download.name)")
                }
            }
        }
    }

    /// Returns the position as the API counts it, from 0.
    static func index(_ text: String) throws(DownloadError) -> Int {
        switch text {
        case "top", "first": return 0
        case "bottom", "last": return Int(Int32.max)
        case _: return try WholeNumber.parse(text, in: 1...Int(Int32.max)) - 1
        }
    }
}
