import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// The downloads to add, and their destination.
struct AddedFiles: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "URL to download; {a,b}, [1-9], [01-12], [a-f] and [0-10:2] expand to several.", valueName: "url"))
    var urls: [String] = []
    @Flag(name: [.customShort("g"), .long], help: OptionHelp.globoff) var globoff = false
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Save under this name. One URL only.", valueName: "name"),
        completion: .file())
    var output: String?
    @Option(
        name: .shortAndLong, help: OptionHelp.directory, completion: .directory)
    var directory: String?
    @Option(
        name: [.customShort("i"), .customLong("input-file")], parsing: .singleValue,
        help: OptionHelp.inputFile,
        completion: .file())
    var inputFiles: [String] = []
    @Option(
        name: .customLong("mirror"), parsing: .singleValue,
        help: OptionHelp.mirror)
    var mirrors: [String] = []
    @Option(
        help: OptionHelp.checksum,
        completion: .list(["md5:", "sha1:", "sha256:", "sha512:"]))
    var checksum: String?
    @Option(
        help: OptionHelp.onConflict,
        completion: .list(ConflictPolicy.allCases.map(\.rawValue)))
    var onConflict = "fail"
    @Flag(
        name: .customLong("continue"),
        help: OptionHelp.continues)
    var continues = false
    @Flag(help: OptionHelp.findChecksum) var findChecksum = false
}
