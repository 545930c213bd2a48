import ArgumentParser
import HaulCore

/// The root: `haul`.
struct HaulCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "haul",
        abstract: "Download files over multiple connections, with resume and verification.",
        usage: "haul <url> ...\nhaul <command> [<options>]",
        discussion: """
            haul URL is short for haul get URL, with the same options: haul get --help

            haul aria2c accepts the command line of aria2 and serves its JSON-RPC, as does
            a link to haul that is named aria2c: haul aria2c --help
            """,
        version: "haul \(Version.current)",
        subcommands: [GetCommand.self, BatchCommand.self, VerifyCommand.self, WhyCommand.self, DemoCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Background",
                subcommands: [
                    AddCommand.self, ListCommand.self, ShowCommand.self, WatchCommand.self, PauseCommand.self,
                    ResumeCommand.self, CancelCommand.self, RemoveCommand.self, RetryCommand.self, MoveCommand.self,
                    LimitCommand.self, SetCommand.self, OpenCommand.self, DaemonCommand.self,
                ]),
            CommandGroup(name: "Testing", subcommands: [LabCommand.self]),
            CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self, ManualCommand.self]),
        ]
    )

    /// What `haul` alone prints: what to type.
    static let firstSteps = """
        haul URL                                download a file; the same again resumes it
        haul URL -o NAME --checksum sha256:...  under another name, and verify it
        haul -i LIST -j 8                       download the URLs in a file, eight at a time
        haul add URL, haul list                 download in the background
        haul batch MANIFEST --out FOLDER        download a data set, with a result for every row
        haul why                                show what limits the speed of a download
        haul demo                               watch a download being killed and resumed

        haul --help lists the commands, haul get --help the options.

        """
}
