import ArgumentParser

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
