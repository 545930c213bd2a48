import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// Its place in the queue.
struct AddedQueueing: ParsableArguments {
    @Option(help: ArgumentHelp("Your name for it; one URL only.", valueName: "key")) var key: String?
    @Option(help: ArgumentHelp("A label for downloads that belong together.", valueName: "name")) var group: String?
    @Option(
        name: .customLong("tag"), parsing: .singleValue,
        help: ArgumentHelp("A further label; again for more.", valueName: "name"))
    var tags: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Which starts first: -1000 to 1000, the higher one.", valueName: "n"))
    var priority = "0"
    @Option(help: ArgumentHelp("Not before this time, as 2026-01-31T12:00:00Z.", valueName: "time")) var notBefore:
        String?
    @Flag(help: "Add it paused.") var paused = false
    @Flag(help: "Start it at once, beyond the limits.") var now = false
}
