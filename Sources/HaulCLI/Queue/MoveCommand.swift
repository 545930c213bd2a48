import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul move`.
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a download to another place in the list.",
        discussion: "Of those with the same priority the first in the list starts first.")

    @Argument(help: ArgumentHelp("The download, by number.", valueName: "id")) var id: String
    @Argument(help: ArgumentHelp("top, bottom, or a place: 1 is the first.", valueName: "place")) var place: String
    @Flag(help: "Write a JSON line.") var json = false

    func run() async throws {
        var problems = InvalidOptions()
        let ids = problems.read("") { () throws(DownloadError) in try Selection.ids(parsing: id) }
        let index = problems.read("") { () throws(DownloadError) in try Self.index(place) }
        guard problems.messages.isEmpty, let ids, let index else { throw problems }
        let (name, json) = (place, json)
        try await QueueProgram.run { (client, outcome) throws(DownloadError) in
            // Of a range, the last one is moved first, so that they stand in their order.
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

    /// The place as the API counts it.
    static func index(_ text: String) throws(DownloadError) -> Int {
        switch text {
        case "top": return 0
        case "bottom": return Int(Int32.max)
        case _: return try WholeNumber.parse(text, in: 1...Int(Int32.max)) - 1
        }
    }
}
