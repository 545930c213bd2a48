import ArgumentParser

/// `haul get`: downloads files and ends.
struct GetCommand: AsyncParsableCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files.",
        usage: "haul get [<options>] <url> ...\n       haul get [<options>] --input-file <list>",
        discussion: """
            Run the same command again to resume an interrupted download, if the server
            supports it. A relative --output is inside --directory.

            Exit codes:
            \(ExitCode.table)
            If several downloads fail with the same code, that code is returned.

            With --json, each line on standard output is an event as in the daemon's API:
            an object with "event", "download" (1, 2, ...), "number", "time", "url"
            (without password and query values), "line" (in a list), and:
            \(JSONReporter.table)
            """
    )

    @OptionGroup(title: "Files") var source: SourceOptions
    @OptionGroup(title: "Files") var files: TableOptions<GetFiles>
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Transfer") var transfers: TableOptions<GetTransfer>
    @OptionGroup(title: "Access and network") var credentials: CredentialOptions
    @OptionGroup(title: "Access and network") var access: TableOptions<GetAccess>
    @OptionGroup(title: "Access and network") var network: NetworkOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Configuration") var configuration: ConfigurationOptions

    /// The options of the configuration file and the environment.
    var settings = CommandSettings()

    private enum CodingKeys: String, CodingKey {
        case source, files, transfer, transfers, credentials, access, network, output, configuration
    }

    /// The options of the table that were given.
    var given: OptionLayer { OptionLayer(flags: files.values, transfers.values, access.values) }

    func run() async throws {
        let code = await GetProgram.run(try GetPlan(self))
        throw ArgumentParser.ExitCode(code.rawValue)
    }
}

/// How several downloads, and streams, are transferred.
struct TransferOptions: ParsableArguments {
    @Option(
        name: .customLong("metalink"), parsing: .singleValue,
        help: ArgumentHelp(
            "Download all files of this Metalink, a file or a URL; may be repeated.", valueName: "file|url"),
        completion: .file())
    var metalinks: [String] = []

    @Option(
        name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional, help: OptionHelp.jobs())
    var jobs = "3"

    @Option(parsing: .unconditional, help: OptionHelp.totalRate)
    var limitRate: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --output -, download at most this far ahead of the reader.", valueName: "size"))
    var streamWindow: String?
}
