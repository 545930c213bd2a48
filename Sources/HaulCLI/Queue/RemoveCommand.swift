import ArgumentParser
import HaulClient
import HaulCore
import HaulOptions
import HaulWire

/// `haul remove`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove downloads from the list; deletes partial files, keeps finished ones.")

    @OptionGroup var selection: SelectionOptions
    @Option(
        help: ArgumentHelp("Files to delete: partial, none, or all (including finished ones).", valueName: "which"),
        completion: .list(RemovedFiles.allCases.map(\.rawValue)))
    var files = RemovedFiles.partial.rawValue
    @Flag(help: OptionHelp.json) var json = false

    func run() async throws {
        var problems = InvalidOptions()
        let read = problems.read("--files") { () throws(DownloadError) in
            try ChoiceArgument.parse(files, as: RemovedFiles.self)
        }
        guard let which = read else { throw problems }
        var action = ActionRequest(.remove)
        action.files = which
        try await VerbRun(past: "removed", action: action) { (client, id) throws(DownloadError) in
            try await client.remove(id, files: which)
            return nil
        }
        .run(selection, json: json)
    }
}
