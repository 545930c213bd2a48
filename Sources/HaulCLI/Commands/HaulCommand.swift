import ArgumentParser

/// The root: `haul`.
struct HaulCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "haul",
        abstract: "Downloads files: over several connections, resumably, and verified.",
        version: "haul \(Version.current)",
        subcommands: [GetCommand.self, VerifyCommand.self, WhyCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Background",
                subcommands: [
                    AddCommand.self, ListCommand.self, ShowCommand.self, WatchCommand.self, PauseCommand.self,
                    ResumeCommand.self, CancelCommand.self, RemoveCommand.self, RetryCommand.self, MoveCommand.self,
                    LimitCommand.self, SetCommand.self, OpenCommand.self, DaemonCommand.self,
                ]),
            CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self, ManualCommand.self]),
        ]
    )
}
