import ArgumentParser

/// `haul daemon`: the process that downloads on in the background.
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Run, start, stop or look at the daemon that downloads in the background.",
        discussion: """
            The daemon listens on a Unix socket that only you can use. With --port it
            also serves 127.0.0.1, for browsers and programs that have its token.

            Each setting is an option here, HAUL_NAME in the environment (HAUL_LIMIT_RATE)
            or a line of ~/.config/haul/daemon.toml, and counts in this order. SIGHUP has
            the file read again.
            """,
        subcommands: [
            DaemonRunCommand.self, DaemonStartCommand.self, DaemonStopCommand.self, DaemonStatusCommand.self,
            DaemonInstallCommand.self,
        ]
    )
}

/// `haul daemon run`: in the foreground.
struct DaemonRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Work in the foreground until SIGTERM, as service managers want it.")

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonRun(options).run())
    }
}

/// `haul daemon start`: in the background.
struct DaemonStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start it in the background, and return when it answers.",
        discussion: """
            Options are kept for later starts, also for those by haul add, until others
            are given or --reset forgets them.
            """)

    @Flag(help: "Forget the options of the last start.")
    var reset = false

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonStart(options, resets: reset).run())
    }
}

/// `haul daemon stop`.
struct DaemonStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Have it save and leave, and return when it is gone.")

    @OptionGroup var options: DaemonEndpointOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonStop(options).run())
    }
}

/// `haul daemon status`.
struct DaemonStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say whether it is at work, and on what.",
        discussion: "Ends with 0 where it is, and with 5 where none answers.")

    @OptionGroup var options: DaemonEndpointOptions

    @Flag(help: "Write it as one JSON line.")
    var json = false

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonStatus(options, json: json).run())
    }
}

/// `haul daemon install`.
struct DaemonInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Write a systemd user unit with its socket, which starts it when it is first needed.",
        discussion: "What the daemon is to do belongs into its configuration file.")

    @Flag(help: "Print the units, and write nothing.")
    var dryRun = false

    func run() async throws {
        throw ArgumentParser.ExitCode(DaemonInstall(printsOnly: dryRun).run())
    }
}
