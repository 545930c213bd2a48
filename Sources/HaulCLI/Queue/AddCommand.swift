import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul add`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have the daemon download files, and return at once.",
        usage: "haul add [<options>] <url> ...\n       haul add [<options>] --input-file <list>",
        discussion: """
            A daemon is started where none is at work. Files go to its usual folder
            (~/Downloads) or, with --directory, to another one that its settings allow.
            One that is in the list already is not added twice and keeps its options;
            paused or failed, it goes on.
            """)

    @OptionGroup(title: "Files") var files: AddedFiles
    @OptionGroup(title: "Transfer") var transfer: AddedTransfer
    @OptionGroup(title: "Queue") var queue: AddedQueueing
    @Flag(help: "Write a JSON line for each.") var json = false

    func run() async throws {
        let plan = try AddPlan(files, transfer, queue)
        let json = json
        try await QueueProgram.run(starts: true) { (client, outcome) throws(DownloadError) in
            try await AddRun(plan, json: json).run(client, &outcome)
        }
    }
}
