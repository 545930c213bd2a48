import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul add`.
struct AddCommand: AsyncParsableCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add downloads to the list of the daemon, and return at once.",
        usage: "haul add [<options>] <url> ...\nhaul add [<options>] --input-file <list>",
        discussion: """
            Starts the daemon if none is running. Without --directory, files are saved in
            its default folder (~/Downloads); other folders must be in its roots. A
            download that is already in the list is not added again and keeps its options;
            if it is paused or failed, it continues. If it is finished, a missing file is
            downloaded again; one that has another size now, or not the checksum of this
            command, is an error.
            """)

    @OptionGroup(title: "Files") var urls: URLArguments
    @OptionGroup(title: "Files") var source: TableOptions<SourceSection>
    @OptionGroup(title: "Files") var files: TableOptions<AddFiles>
    @OptionGroup(title: "Transfer") var transfer: TableOptions<AddTransfer>
    @OptionGroup(title: "Access") var credentials: TableOptions<CredentialSection>
    @OptionGroup(title: "Access") var access: TableOptions<AddAccess>
    @OptionGroup(title: "Queue") var queue: TableOptions<AddQueue>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationOptions
    @Flag(help: "Show progress until the downloads have ended; the exit code is theirs.") var wait = false
    @Flag(help: OptionHelp.json) var json = false

    /// The options of the configuration file and the environment.
    var settings = CommandSettings()

    private enum CodingKeys: String, CodingKey {
        case urls, source, files, transfer, credentials, access, queue, configuration, wait, json
    }

    /// The values that were given.
    var arguments: DownloadArguments {
        DownloadArguments(
            urls: urls.urls, options: OptionLayer(flags: source.values, credentials.values),
            properties: OptionLayer(flags: files.values, transfer.values, access.values, queue.values),
            settings: settings)
    }

    func run() async throws {
        let plan = try AddPlan(arguments)
        let (wait, json) = (wait, json)
        try await QueueProgram.run(starts: true) { (client, outcome) throws(DownloadError) in
            let ids = try await AddRun(plan, json: json).run(client, &outcome)
            guard wait, !ids.isEmpty else { return }
            var filter = FilterMessage()
            filter.ids = ids
            let code = try await WatchRun(client, filter, endsIncluded: true, json: json).run()
            if code != .complete { outcome.note(code) }
        }
    }
}
