import ArgumentParser

/// `haul get`: downloads files and ends.
struct GetCommand: AsyncParsableCommand, ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files.",
        usage: "haul get [<options>] <url> ...\nhaul get [<options>] --input-file <list>",
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

    @OptionGroup(title: "Files") var urls: URLArguments
    @OptionGroup(title: "Files") var source: TableOptions<SourceSection>
    @OptionGroup(title: "Files") var files: TableOptions<GetFiles>
    @OptionGroup(title: "Transfer") var transfer: TableOptions<TransferSection>
    @OptionGroup(title: "Transfer") var transfers: TableOptions<GetTransfer>
    @OptionGroup(title: "Access and network") var credentials: TableOptions<CredentialSection>
    @OptionGroup(title: "Access and network") var access: TableOptions<GetAccess>
    @OptionGroup(title: "Access and network") var network: TableOptions<NetworkSection>
    @OptionGroup(title: "Output") var output: TableOptions<OutputSection>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationOptions

    /// The options of the configuration file and the environment.
    var settings = CommandSettings()

    private enum CodingKeys: String, CodingKey {
        case urls, source, files, transfer, transfers, credentials, access, network, output, configuration
    }

    /// The values that were given.
    var arguments: DownloadArguments {
        DownloadArguments(
            urls: urls.urls,
            options: OptionLayer(
                flags: source.values, transfer.values, credentials.values, network.values, output.values),
            properties: OptionLayer(flags: files.values, transfers.values, access.values), settings: settings)
    }

    func run() async throws {
        let code = await GetProgram.run(try GetPlan(arguments))
        throw ArgumentParser.ExitCode(code.rawValue)
    }
}

/// The URLs of `haul get` and `haul add`.
struct URLArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "URL to download; {a,b}, [1-9], [01-12], [a-f] and [0-10:2] expand to several.", valueName: "url"))
    var urls: [String] = []
}

/// The configuration file.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Read options from this file (default: ~/.config/haul/config.toml).", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(help: "Read no configuration file.")
    var noConfig = false
}
