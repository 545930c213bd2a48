import ArgumentParser

/// `haul verify`: checks existing files.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check existing files; downloads nothing.",
        usage: "haul verify [<options>] <file> ...\n       haul verify --checksums <list>",
        discussion: """
            Without --checksum, --checksums and --url, a checksum is looked for beside each
            file: FILE.sha256, SHA256SUMS in its folder, and the like.

            Exit code 0 if all files are correct, 16 if one has a wrong checksum, 18 if one
            does not exist.

            With --json, each file is one line on standard output: "verified" with path,
            verified and verification, or "failed" with path, code, message, cause,
            exitCode and, if there is one, detail.
            """
    )

    @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("The digest the file must have; one file only.", valueName: "algorithm:hex"))
    var checksum: String?

    @Option(
        help: ArgumentHelp(
            "A list such as SHA256SUMS; without files, all that it lists, relative to its folder.", valueName: "list"),
        completion: .file())
    var checksums: String?

    @Flag(help: "With --checksums, skip listed files that do not exist.")
    var ignoreMissing = false

    @Option(help: ArgumentHelp("Compare with what the server says; one file only.", valueName: "url"))
    var url: String?

    @Flag(help: "With --url, look for a checksum on the server as haul get does.")
    var findChecksum = false

    @Flag(name: .customLong("no-header-checksum"), help: "With --url, leave the digest in the server's header aside.")
    var noHeaderChecksum = false

    @Flag(name: .shortAndLong, help: "Show only errors.")
    var quiet = false

    @Flag(help: "Write the results as JSON lines to standard output.")
    var json = false

    @OptionGroup(title: "Access and network, with --url") var network: NetworkOptions

    func run() async throws {
        let plan = try VerifyPlan(self)
        throw ArgumentParser.ExitCode(await VerifyRun(plan).run().rawValue)
    }
}
