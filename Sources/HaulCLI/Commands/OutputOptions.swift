import ArgumentParser

/// What is shown.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show only errors.")
    var quiet = false

    @Flag(help: "Write events as JSON lines to standard output.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Log from this level: trace, debug, info, notice, warning (the default), error, critical.",
            valueName: "level"))
    var logLevel: String?
}
