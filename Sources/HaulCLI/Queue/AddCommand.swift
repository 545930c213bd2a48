import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// `haul add`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have the daemon download files, and return at once.",
        usage: "haul add [<options>] <url> ...\n       haul add [<options>] --input-file <list>",
        discussion: """
            A daemon is started where none is at work. Files go to its usual folder
            (~/Downloads) or, with --directory, to another one that its settings allow.
            One that is in the list already is not added twice: it goes on.
            """)

    @OptionGroup(title: "Files") var files: AddedFiles
    @OptionGroup(title: "Transfer") var transfer: AddedTransfer
    @OptionGroup(title: "Queue") var queue: AddedPlace
    @Flag(help: "Write a JSON line for each.") var json = false

    func run() async throws {
        let plan = try AddPlan(files, transfer, queue)
        let json = json
        try await QueueProgram.run(starts: true) { (client, outcome) throws(DownloadError) in
            try await AddRun(plan, json: json).run(client, &outcome)
        }
    }
}

/// What is added, and where it goes.
struct AddedFiles: ParsableArguments {
    @Argument(help: ArgumentHelp("Where to download from.", valueName: "url"))
    var urls: [String] = []
    @Option(name: .shortAndLong, help: ArgumentHelp("Save under this name; one URL only.", valueName: "name"))
    var output: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Save in this folder.", valueName: "folder"))
    var directory: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Read downloads from a list, as haul get does.", valueName: "list"))
    var inputFile: String?
    @Option(
        name: .customLong("mirror"), parsing: .singleValue,
        help: ArgumentHelp("Another source of the same file; one URL only; again for more.", valueName: "url"))
    var mirrors: [String] = []
    @Option(help: ArgumentHelp("The digest the file must have; one URL only.", valueName: "algorithm:hex"))
    var checksum: String?
    @Option(help: ArgumentHelp("If a file is there already: fail, replace, rename or keep.", valueName: "policy"))
    var onConflict = "fail"
    @Flag(help: "Look for a checksum on the server.") var findChecksum = false
}

/// How it is fetched.
struct AddedTransfer: ParsableArguments {
    @Option(
        name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp("Connections per download: 1 to 64, or auto.", valueName: "n"))
    var connections = "auto"
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .singleValue,
        help: ArgumentHelp("A header to send, 'Name: value'; again for more.", valueName: "header"))
    var headers: [String] = []
    @Option(help: ArgumentHelp("The User-Agent to send.", valueName: "text")) var userAgent: String?
    @Option(help: ArgumentHelp("Bytes per second of each download, as 500K.", valueName: "rate")) var limitRate: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("Attempts in a row that may fail.", valueName: "n"))
    var retries = "5"
    @Option(help: ArgumentHelp("The user name for the URL's own origin.", valueName: "name")) var user: String?
    @Option(help: ArgumentHelp("A file with the password, - for standard input.", valueName: "file"))
    var passwordFile: String?
    @Option(help: ArgumentHelp("A file with a bearer token, - for standard input.", valueName: "file"))
    var bearerFile: String?
    @Flag(help: "Accept any certificate.") var insecure = false
}

/// Its place in the queue.
struct AddedPlace: ParsableArguments {
    @Option(help: ArgumentHelp("Your name for it; one URL only.", valueName: "key")) var key: String?
    @Option(help: ArgumentHelp("A label for downloads that belong together.", valueName: "name")) var group: String?
    @Option(
        name: .customLong("tag"), parsing: .singleValue,
        help: ArgumentHelp("A further label; again for more.", valueName: "name"))
    var tags: [String] = []
    @Option(parsing: .unconditional, help: ArgumentHelp("Which starts first: -1000 to 1000, the higher one.", valueName: "n"))
    var priority = "0"
    @Option(help: ArgumentHelp("Not before this time, as 2026-01-31T12:00:00Z.", valueName: "time")) var notBefore: String?
    @Flag(help: "Add it paused.") var paused = false
    @Flag(help: "Start it at once, beyond the limits.") var now = false
}
