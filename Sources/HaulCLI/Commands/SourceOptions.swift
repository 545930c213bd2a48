import ArgumentParser

/// What is downloaded, and where it goes.
struct SourceOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Where to download from.", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Save as this file; one URL only; - is standard output.", valueName: "file"))
    var output: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("Save in this folder.", valueName: "folder"))
    var directory = "."

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Read downloads from a list: a URL a line, options below it as \"  out=name\", or JSON; - is standard input.",
            valueName: "list"))
    var inputFile: String?

    @Option(help: ArgumentHelp("The digest the file must have; one URL only.", valueName: "algorithm:hex"))
    var checksum: String?

    @Option(
        help: ArgumentHelp(
            "If a file is there already: fail, replace it, rename the new one, or keep it if it is the same.",
            valueName: "policy"))
    var onConflict = "fail"
}
