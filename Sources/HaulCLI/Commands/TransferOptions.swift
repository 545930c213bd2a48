import ArgumentParser

/// How it is downloaded.
///
/// The options of every command that downloads.
struct TransferOptions: ParsableArguments {
    @Option(
        name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
        help: OptionHelp.connections,
        completion: .list(["auto"]))
    var connections = "auto"

    @Option(
        name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
        help: OptionHelp.jobs())
    var jobs = "3"

    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: OptionHelp.header)
    var headers: [String] = []

    @Option(help: OptionHelp.userAgent)
    var userAgent: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Download only this range of bytes, both ends included: 0-999, or 1000- to the end.",
            valueName: "first-last"))
    var range: String?

    @Option(
        help: ArgumentHelp("Keep partial files in this folder during the download.", valueName: "folder"),
        completion: .directory)
    var partialFolder: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --output -, download at most this far ahead of the reader.", valueName: "size"))
    var streamWindow: String?

    @Flag(
        name: .customLong("continue"),
        help: OptionHelp.continues)
    var continues = false

    @Flag(name: .customLong("no-resume"), help: "Do not resume, and do not keep a partial file.")
    var noResume = false

    @Option(
        parsing: .unconditional,
        help: OptionHelp.retries)
    var retries = "5"

    @Option(parsing: .unconditional, help: ArgumentHelp("Maximum time to connect.", valueName: "seconds"))
    var connectTimeout = "15"

    @Option(parsing: .unconditional, help: ArgumentHelp("Maximum time without receiving data.", valueName: "seconds"))
    var idleTimeout = "30"

    @Option(
        parsing: .unconditional,
        help: OptionHelp.maxWait)
    var maxWait = "60"

    @Option(
        parsing: .unconditional,
        help: OptionHelp.maxTime)
    var maxTime: String?

    @Option(
        parsing: .unconditional,
        help: OptionHelp.minSpeed)
    var minSpeed: String?

    @Option(
        parsing: .unconditional,
        help: OptionHelp.totalRate)
    var limitRate: String?

    @Flag(
        help: "Request compression (gzip, deflate) and decode the file. Uses one connection; cannot be resumed.")
    var compressed = false

    @Flag(help: "Save a compressed response as it is sent, without decoding it.")
    var raw = false

    @Flag(
        name: .customLong("fail-on-html"),
        help: "Fail if a web page is sent instead of a file such as a.zip; the default is to warn.")
    var failOnHTML = false

    @Flag(help: "Follow redirects from https to http.")
    var allowDowngrade = false
}
