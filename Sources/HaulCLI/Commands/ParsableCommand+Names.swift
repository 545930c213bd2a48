import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ParsableCommand {
    /// The options of the command, hidden ones too, with their hyphens.
    static var optionNames: Set<String> {
        let dump = try? JSONDecoder().decode(HelpDump.self, from: Data(_dumpHelp().utf8))
        let names = (dump?.command.arguments ?? []).flatMap { $0.names ?? [] }
        return Set(names.map { ($0.kind == "long" ? "--" : "-") + $0.name })
    }
}

/// The parser's description of a command, as far as it is needed here.
private struct HelpDump: Decodable {
    struct Name: Decodable { let kind: String, name: String }
    struct Argument: Decodable { let names: [Name]? }
    struct Command: Decodable { let arguments: [Argument]? }
    let command: Command
}
