import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// The options for the place in the queue.
struct AddedQueueing: ParsableArguments {
    @Option(help: ArgumentHelp("Your own unique key for the download. One URL only.", valueName: "key")) var key:
        String?
    @Option(help: ArgumentHelp("Group that the downloads belong to.", valueName: "name")) var group: String?
    @Option(
        name: .customLong("tag"), parsing: .singleValue,
        help: ArgumentHelp("Tag of the downloads; may be repeated.", valueName: "name"))
    var tags: [String] = []
    @Option(
        parsing: .unconditional,
        help: OptionHelp.priority)
    var priority = "0"
    @Option(help: ArgumentHelp("Start no earlier than this time, such as 2026-01-31T12:00:00Z.", valueName: "time"))
    var notBefore: String?
    @Flag(help: "Add the downloads paused.") var paused = false
    @Flag(help: OptionHelp.now) var now = false
}
