import ArgumentParser

/// `haul verify`: checks existing files.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check existing files; downloads nothing.",
        usage: "haul verify [<options>] <file> ...\nhaul verify --checksums <list>",
        discussion: """
            Without --checksum, --checksums and --url, the checksum is read from a file in
            the same folder: FILE.sha256, SHA256SUMS and the like.

            Exit code 0 if all files are correct, 16 if one has a wrong checksum, 18 if one
            does not exist.

            With --json, each file is one line on standard output: "verified" with path
            and verification (by, message, checksum, from), or "failed" with path, error
            (code, message, cause, optional detail) and exitCode.
            """
    )

    @Argument(help: ArgumentHelp("File to check.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: OptionHelp.checksum)
    var checksum: [String] = []

    @Option(
        help: ArgumentHelp(
            "List of checksums, such as SHA256SUMS. Without files, all files in it are checked, relative to its folder.",
            valueName: "list"),
        completion: .file())
    var checksums: [String] = []

    @Flag(help: "With --checksums, skip listed files that do not exist.")
    var ignoreMissing = false

    @Option(help: ArgumentHelp("Compare with this file on a server. One file only.", valueName: "url"))
    var url: String?

    @OptionGroup var verification: TableOptions<VerifyFiles>

    @Flag(name: .shortAndLong, help: OptionHelp.quiet)
    var quiet = false

    @Flag(help: OptionHelp.json)
    var json = false

    @OptionGroup(title: "Access and network, with --url") var credentials: TableOptions<CredentialSection>
    @OptionGroup(title: "Access and network, with --url") var access: TableOptions<VerifyAccess>
    @OptionGroup(title: "Access and network, with --url") var network: TableOptions<NetworkSection>

    func run() async throws {
        let plan = try VerifyPlan(self)
        throw ArgumentParser.ExitCode(await VerifyRun(plan).run().rawValue)
    }
}
