import ArgumentParser

/// The root: `haul`.
struct HaulCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "haul",
        abstract: "Download files over multiple connections, with resume and verification.",
        usage: "haul <url> ...\n       haul <command> [<options>]",
        discussion: """
            haul URL is short for haul get URL, with the same options: haul get --help

            haul aria2c accepts the command line of aria2 and serves its JSON-RPC, as does
            a link to haul that is named aria2c: haul aria2c --help
            """,
        version: "haul \(Version.current)",
        subcommands: [GetCommand.self, BatchCommand.self, VerifyCommand.self, WhyCommand.self],
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
