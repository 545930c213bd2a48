import ArgumentParser
import HaulCore

/// What is downloaded, and where it goes.
struct SourceOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "URL to download; {a,b}, [1-9], [01-12], [a-f] and [0-10:2] expand to several.", valueName: "url"))
    var urls: [String] = []

    @Flag(
        name: [.customShort("g"), .long],
        help: OptionHelp.globoff)
    var globoff = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Save as this file; - is standard output. One URL only.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        name: .shortAndLong, help: OptionHelp.directory, completion: .directory)
    var directory = "."

    @Option(
        name: [.customShort("i"), .customLong("input-file")], parsing: .singleValue,
        help: OptionHelp.inputFile, completion: .file())
    var inputFiles: [String] = []

    @Option(
        name: .customLong("mirror"), parsing: .singleValue,
        help: OptionHelp.mirror)
    var mirrors: [String] = []

    @Option(
        name: .customLong("metalink"), parsing: .singleValue,
        help: ArgumentHelp(
            "Download all files of this Metalink, a file or a URL; may be repeated.", valueName: "file|url"),
        completion: .file())
    var metalinks: [String] = []

    @Flag(name: .customLong("no-linked-mirrors"), help: "Ignore mirrors in the server's Link headers.")
    var noLinkedMirrors = false

    @Option(
        help: OptionHelp.checksum,
        completion: .list(["md5:", "sha1:", "sha256:", "sha512:"]))
    var checksum: String?

    @Option(
        help: OptionHelp.onConflict, completion: .list(ConflictPolicy.allCases.map(\.rawValue)))
    var onConflict = "fail"

    @Flag(help: OptionHelp.findChecksum)
    var findChecksum = false

    @Flag(name: .customLong("no-header-checksum"), help: OptionHelp.noHeaderChecksum)
    var noHeaderChecksum = false

    @Flag(help: "If the file exists, verify it, and keep it if it is correct.")
    var verifyExisting = false
}
