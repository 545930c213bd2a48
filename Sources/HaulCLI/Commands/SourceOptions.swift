import ArgumentParser
import HaulCore

/// What is downloaded, and where it goes.
struct SourceOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Where to download from; {a,b}, [1-9], [01-12], [a-f] and [0-10:2] stand for several.", valueName: "url"))
    var urls: [String] = []

    @Flag(
        name: [.customShort("g"), .long],
        help: "Take braces and brackets in URLs literally; otherwise an unmatched one is an error.")
    var globoff = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Save as this file; one URL only; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Save in this folder.", valueName: "folder"), completion: .directory)
    var directory = "."

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Read downloads from a list: a URL a line, options below it as \"  out=name\", or JSON; - is standard input.",
            valueName: "list"), completion: .file())
    var inputFile: String?

    @Option(
        name: .customLong("mirror"), parsing: .singleValue,
        help: ArgumentHelp("Another source of the same file; one URL only; may be repeated.", valueName: "url"))
    var mirrors: [String] = []

    @Option(
        name: .customLong("metalink"), parsing: .singleValue,
        help: ArgumentHelp(
            "Download all files of this Metalink, a file or a URL; may be repeated.", valueName: "file|url"),
        completion: .file())
    var metalinks: [String] = []

    @Flag(name: .customLong("no-linked-mirrors"), help: "Do not use the mirrors that a server names in Link headers.")
    var noLinkedMirrors = false

    @Option(
        help: ArgumentHelp("The digest the file must have; one URL only.", valueName: "algorithm:hex"),
        completion: .list(["md5:", "sha1:", "sha256:", "sha512:"]))
    var checksum: String?

    @Option(
        help: ArgumentHelp(
            "If a file is there already: fail, replace it, rename the new one, keep it if it is the same, or skip: leave it unseen.",
            valueName: "policy"), completion: .list(ConflictPolicy.allCases.map(\.rawValue)))
    var onConflict = "fail"

    @Flag(help: "Look for a checksum on the server: URL.sha256, SHA256SUMS and the like.")
    var findChecksum = false

    @Flag(name: .customLong("no-header-checksum"), help: "Do not verify against the digest in the server's header.")
    var noHeaderChecksum = false

    @Flag(help: "If a file is there already, verify it, and keep it if it is right.")
    var verifyExisting = false
}
