import ArgumentParser

/// What is shown.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show only errors.")
    var quiet = false

    @Option(
        help: ArgumentHelp(
            "What to show: normal, line (one line per file, when it ends) or quiet (only errors).", valueName: "level"),
        completion: .list(Verbosity.allCases.map(\.rawValue)))
    var verbosity: String?

    @Option(
        help: ArgumentHelp("Append what happens, with the time, to this file.", valueName: "file"), completion: .file())
    var logFile: String?

    @Flag(help: "Write events as JSON lines to standard output.")
    var json = false

    @Flag(
        inversion: .prefixedNo,
        help: "Tell at the end what limited the downloads; --no-why leaves no record for `haul why`.")
    var why: Bool?

    @Option(
        help: ArgumentHelp(
            "Log from this level: trace, debug, info, notice, warning (the default), error, critical.",
            valueName: "level"),
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?
}
