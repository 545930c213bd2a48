import ArgumentParser

/// The root: `haul`.
struct HaulCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "haul",
        abstract: "Downloads files: over several connections, resumably, and verified.",
        usage: "haul <url> ...\n       haul <command> [<options>]",
        discussion: """
            haul URL is short for haul get URL, with the same options: see haul get --help

            haul aria2c takes aria2's command line and serves its JSON-RPC; a link to haul
            that is named aria2c does the same: haul aria2c --help
            """,
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
