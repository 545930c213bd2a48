import ArgumentParser
import HaulCore

/// What is downloaded, and where it goes.
struct SourceOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "URL to download; {a,b}, [1-9], [01-12], [a-f] and [0-10:2] expand to several.", valueName: "url"))
    var urls: [String] = []

    @Flag(name: [.customShort("g"), .long], help: "Do not expand braces and brackets in URLs.")
    var globoff = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Save as this file; with haul get, - is standard output. One URL only.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Save in this folder.", valueName: "folder"), completion: .directory)
    var directory: String?

    @Option(
        name: [.customShort("i"), .customLong("input-file")], parsing: .singleValue,
        help: ArgumentHelp(
            "Read downloads from this list: one URL per line, its options below it (\"  out=name\"), or JSON; - is standard input.",
            valueName: "list"), completion: .file())
    var inputFiles: [String] = []

    @Option(
        name: .customLong("mirror"), parsing: .singleValue,
        help: ArgumentHelp("Another source of the same file. One URL only; may be repeated.", valueName: "url"))
    var mirrors: [String] = []
}

/// The files that contain credentials.
///
/// No option takes a password: arguments can be read by everybody on the machine (proc(5)).
struct CredentialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the password from the first line of this file; - is standard input. The default is to ask on the terminal.",
            valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(
        help: ArgumentHelp("Read a bearer token from this file; - is standard input.", valueName: "file"),
        completion: .file())
    var bearerFile: String?
}
