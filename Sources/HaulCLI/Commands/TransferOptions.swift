import ArgumentParser

/// How it is downloaded.
///
/// The options of every command that downloads.
struct TransferOptions: ParsableArguments {
    @Option(
        name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp("Connections per download: 1 to 64, or auto.", valueName: "n"),
        completion: .list(["auto"]))
    var connections = "auto"

    @Option(
        name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp("Downloads at a time.", valueName: "n"))
    var jobs = "3"

    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: ArgumentHelp("A header to send, 'Name: value'; may be repeated.", valueName: "header"))
    var headers: [String] = []

    @Option(help: ArgumentHelp("The User-Agent to send.", valueName: "text"))
    var userAgent: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fetch only these bytes, the last one included, as 0-999 or 1000-; they become the file.",
            valueName: "first-last"))
    var range: String?

    @Option(
        help: ArgumentHelp("Keep partial files in this folder until they are finished.", valueName: "folder"),
        completion: .directory)
    var partialFolder: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --output -: fetch at most this far ahead of its reader.", valueName: "size"))
    var streamWindow: String?

    @Flag(
        name: .customLong("continue"),
        help:
            "Continue an unfinished file of curl, wget, aria2, axel or a browser, after comparing it with the server's."
    )
    var continues = false

    @Flag(name: .customLong("no-resume"), help: "Neither go on with a partial file nor keep one.")
    var noResume = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give up after this many retries in a row without progress.", valueName: "n"))
    var retries = "5"

    @Option(parsing: .unconditional, help: ArgumentHelp("The longest wait for a connection.", valueName: "seconds"))
    var connectTimeout = "15"

    @Option(parsing: .unconditional, help: ArgumentHelp("The longest time without a byte.", valueName: "seconds"))
    var idleTimeout = "30"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fail if a server asks for a longer wait with Retry-After; or: unlimited.", valueName: "seconds"))
    var maxWait = "60"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The longest time for each download, waits included.", valueName: "seconds"))
    var maxTime: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Break an attempt off that is slower on average, such as 10K:30; it counts as failed.",
            valueName: "rate:seconds"))
    var minSpeed: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Bytes per second over all downloads, such as 500K, or by the time of day: \"22:00-06:00 unlimited, else 2M\".",
            valueName: "rate"))
    var limitRate: String?

    @Flag(
        help:
            "Ask the server to compress the file on the way (gzip, deflate), and decode it. One connection; an interruption starts again."
    )
    var compressed = false

    @Flag(help: "Save a file that the server compresses on the way as it is sent.")
    var raw = false

    @Flag(
        name: .customLong("fail-on-html"),
        help: "Fail if a web page comes under a name that is not one, such as a.zip; without it, only say so.")
    var failOnHTML = false

    @Flag(help: "Follow a redirect from https to http.")
    var allowDowngrade = false
}
