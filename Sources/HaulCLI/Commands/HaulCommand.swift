import ArgumentParser

/// The root: `haul`.
struct HaulCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "haul",
        abstract: "Downloads files: over several connections, resumably, and verified.",
        version: "haul \(Version.current)",
        subcommands: [GetCommand.self, VerifyCommand.self, WhyCommand.self, DaemonCommand.self]
    )
}
