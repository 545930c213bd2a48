import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul add`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add downloads to the list of the daemon, and return at once.",
        usage: "haul add [<options>] <url> ...\n       haul add [<options>] --input-file <list>",
        discussion: """
            Starts the daemon if none is running. Without --directory, files are saved in
            its default folder (~/Downloads); other folders must be in its roots. A
            download that is already in the list is not added again and keeps its options;
            if it is paused or failed, it continues.
            """)

    @OptionGroup(title: "Files") var files: AddedFiles
    @OptionGroup(title: "Transfer") var transfer: AddedTransfer
    @OptionGroup(title: "Queue") var queue: AddedQueueing
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        let plan = try AddPlan(files, transfer, queue)
        let json = json
        try await QueueProgram.run(starts: true) { (client, outcome) throws(DownloadError) in
            try await AddRun(plan, json: json).run(client, &outcome)
        }
    }
}
