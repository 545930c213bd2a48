import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// The options for the transfer.
struct AddedTransfer: ParsableArguments {
    @Option(
        name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
        help: OptionHelp.connections,
        completion: .list(["auto"]))
    var connections = "auto"
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: OptionHelp.header)
    var headers: [String] = []
    @Option(help: OptionHelp.userAgent) var userAgent: String?
    @Option(help: ArgumentHelp("Maximum speed of each download, in bytes per second, such as 500K.", valueName: "rate"))
    var limitRate: String?
    @Option(parsing: .unconditional, help: OptionHelp.retries)
    var retries = "5"
    @Option(
        parsing: .unconditional,
        help: OptionHelp.maxWait)
    var maxWait = "unlimited"
    @Option(
        parsing: .unconditional,
        help: OptionHelp.maxTime)
    var maxTime: String?
    @Option(
        parsing: .unconditional,
        help: OptionHelp.minSpeed)
    var minSpeed: String?
    @Option(help: OptionHelp.user) var user: String?
    @Option(
        help: OptionHelp.passwordFile, completion: .file())
    var passwordFile: String?
    @Option(
        help: OptionHelp.bearerFile, completion: .file())
    var bearerFile: String?
    @Flag(help: OptionHelp.insecure) var insecure = false
}
