import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// What is added, and where it goes.
struct AddedFiles: ParsableArguments {
    @Argument(help: ArgumentHelp("Where to download from.", valueName: "url"))
    var urls: [String] = []
    @Flag(name: [.customShort("g"), .long], help: "Take braces and brackets in URLs literally.") var globoff = false
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Save under this name; one URL only.", valueName: "name"),
        completion: .file())
    var output: String?
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Save in this folder.", valueName: "folder"), completion: .directory)
    var directory: String?
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Read downloads from a list, as haul get does.", valueName: "list"),
        completion: .file())
    var inputFile: String?
    @Option(
        name: .customLong("mirror"), parsing: .singleValue,
        help: ArgumentHelp("Another source of the same file; one URL only; again for more.", valueName: "url"))
    var mirrors: [String] = []
    @Option(
        help: ArgumentHelp("The digest the file must have; one URL only.", valueName: "algorithm:hex"),
        completion: .list(["md5:", "sha1:", "sha256:", "sha512:"]))
    var checksum: String?
    @Option(
        help: ArgumentHelp("If the file exists: fail, replace, rename, skip or keep.", valueName: "policy"),
        completion: .list(ConflictPolicy.allCases.map(\.rawValue)))
    var onConflict = "fail"
    @Flag(
        name: .customLong("continue"),
        help: "Continue an unfinished file of another program, after comparing it with the server's.")
    var continues = false
    @Flag(help: "Look for a checksum on the server.") var findChecksum = false
}
