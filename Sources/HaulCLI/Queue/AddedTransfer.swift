import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// How it is fetched.
struct AddedTransfer: ParsableArguments {
    @Option(
        name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp("Connections per download: 1 to 64, or auto.", valueName: "n"),
        completion: .list(["auto"]))
    var connections = "auto"
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: ArgumentHelp("A header to send, 'Name: value'; again for more.", valueName: "header"))
    var headers: [String] = []
    @Option(help: ArgumentHelp("The User-Agent to send.", valueName: "text")) var userAgent: String?
    @Option(help: ArgumentHelp("Bytes per second of each download, as 500K.", valueName: "rate")) var limitRate: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("Attempts in a row that may fail.", valueName: "n"))
    var retries = "5"
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fail if a server asks for a longer wait with Retry-After; or: unlimited.", valueName: "seconds"))
    var maxWait = "unlimited"
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The longest time for each run of a download, waits included.", valueName: "seconds"))
    var maxTime: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Break an attempt off that is slower on average, such as 10K:30; it counts as failed.",
            valueName: "rate:seconds"))
    var minSpeed: String?
    @Option(help: ArgumentHelp("The user name for the URL's own origin.", valueName: "name")) var user: String?
    @Option(
        help: ArgumentHelp("A file with the password, - for standard input.", valueName: "file"), completion: .file())
    var passwordFile: String?
    @Option(
        help: ArgumentHelp("A file with a bearer token, - for standard input.", valueName: "file"), completion: .file())
    var bearerFile: String?
    @Flag(help: "Accept any certificate.") var insecure = false
}
