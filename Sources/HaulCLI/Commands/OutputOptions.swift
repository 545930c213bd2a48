import ArgumentParser

/// What is shown.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: OptionHelp.quiet)
    var quiet = false

    @Option(
        help: ArgumentHelp(
            "Output: normal, line (one line per file, when it ends) or quiet (only errors).", valueName: "level"),
        completion: .list(Verbosity.allCases.map(\.rawValue)))
    var verbosity: String?

    @Option(
        help: ArgumentHelp("Append the output to this file, with timestamps.", valueName: "file"), completion: .file())
    var logFile: String?

    @Flag(help: OptionHelp.json)
    var json = false

    @Flag(
        inversion: .prefixedNo,
        help: "At the end, report what limited the speed; --no-why writes no record for `haul why`.")
    var why: Bool?

    @Option(
        help: OptionHelp.logLevel(standard: "warning"),
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?
}
