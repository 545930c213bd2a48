import ArgumentParser

/// What is shown.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show only errors.")
    var quiet = false

    @Flag(help: "Write events as JSON lines to standard output.")
    var json = false

    @Flag(
        inversion: .prefixedNo,
        help: "Tell at the end what limited the downloads; --no-why leaves no record for `haul why`.")
    var why: Bool?

    @Option(
        help: ArgumentHelp(
            "Log from this level: trace, debug, info, notice, warning (the default), error, critical.",
            valueName: "level"))
    var logLevel: String?
}
