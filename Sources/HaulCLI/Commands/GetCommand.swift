import ArgumentParser

/// `haul get`: downloads files and ends.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files.",
        usage: "haul get [<options>] <url> ...\n       haul get [<options>] --input-file <list>",
        discussion: """
            Run the same command again to resume a download that was interrupted, by Ctrl-C
            or a crash, if the server supports it. A relative --output is in --directory.

            Exit codes:
            \(ExitCode.table)
            When several downloads fail in the same way, it is that code.

            With --json, each line on standard output is one object with "event", "url"
            (without password and query values), "id" (1, 2, ... per download), "line" for
            one of a list, and:
            \(JSONReporter.table)
            """
    )

    @OptionGroup(title: "Files") var source: SourceOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Access and network") var network: NetworkOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let code = await GetProgram.run(
            try GetPlan(source: source, transfer: transfer, output: output, network: network))
        throw ArgumentParser.ExitCode(code.rawValue)
    }
}
