import ArgumentParser
import Foundation

extension ParsableCommand {
    /// The options of the command, hidden ones too, with their hyphens.
    static var optionNames: Set<String> {
        let dump = try? JSONDecoder().decode(HelpDump.self, from: Data(_dumpHelp().utf8))
        let names = (dump?.command.arguments ?? []).flatMap { $0.names ?? [] }
        return Set(names.map { ($0.kind == "long" ? "--" : "-") + $0.name })
    }
}

/// What the parser says of a command, as far as it is of use here.
private struct HelpDump: Decodable {
    struct Name: Decodable { var kind: String, name: String }
    struct Argument: Decodable { var names: [Name]? }
    struct Command: Decodable { var arguments: [Argument]? }
    var command: Command
}
