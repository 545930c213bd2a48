import ArgumentParser
import HaulCore
import HaulServer

/// `haul daemon`: the process that downloads in the background.
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Run and control the daemon, which downloads in the background.",
        discussion: """
            The daemon listens on a Unix socket that only you can use. With --port it
            also serves 127.0.0.1, for browsers and programs that have its token.

            Each setting is an option, an environment variable (HAUL_LIMIT_RATE) or a line
            of ~/.config/haul/daemon.toml, in this order of precedence. SIGHUP reloads the
            file.
            """,
        subcommands: [
            DaemonRunCommand.self, DaemonStartCommand.self, DaemonStopCommand.self, DaemonRestartCommand.self,
            DaemonStatusCommand.self, DaemonCheckCommand.self, DaemonTokenCommand.self, DaemonRelocateCommand.self,
            DaemonBackupCommand.self, DaemonInstallCommand.self,
        ]
    )
}

/// `haul daemon run`: in the foreground.
struct DaemonRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run in the foreground until SIGTERM, for service managers.")

    @OptionGroup var options: DaemonOptions

    /// For `haul daemon start`: a setting whose change over the API is discarded once this daemon listens.
    @Option(name: .customLong("replaced-setting"), help: .hidden)
    var replaced: [String] = []

    func run() async throws {
        let replaced = replaced.compactMap(ConfigurationKey.init(rawValue:))
        throw ArgumentParser.ExitCode(await DaemonRun(options, replacing: replaced).run())
    }
}

/// `haul daemon start`: in the background.
struct DaemonStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start the daemon in the background, and wait until it responds.",
        discussion: """
            Options also apply to later starts, including those by haul add, until they are
            given again or --reset discards them.
            """)

    @Flag(help: "Discard the options of earlier starts.")
    var reset = false

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonStart(options, resets: reset).run())
    }
}

/// `haul daemon stop`.
struct DaemonStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the daemon, and wait until it has saved its list and exited.")

    @OptionGroup var options: DaemonEndpointOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonStop(options).run())
    }
}

/// `haul daemon restart`.
struct DaemonRestartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Stop the daemon if it is running, and start it with these options.",
        discussion: """
            Options of earlier starts apply unless they are given again, as with haul
            daemon start. The running daemon is not stopped for options with an error. If
            the new one does not start, the earlier options are used again.
            """)

    @Flag(help: "Discard the options of earlier starts.")
    var reset = false

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonRestart(options, resets: reset).run())
    }
}

/// `haul daemon status`.
struct DaemonStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the daemon is running, and what it is doing.",
        discussion: """
            Exit code 0 if it is running, 5 if not. A problem, such as a missing folder or
            a full disk, is a line of its own.
            """)

    @OptionGroup var options: DaemonEndpointOptions

    @Flag(help: OptionHelp.json)
    var json = false

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonStatus(options, json: json).run())
    }
}

/// `haul daemon backup`.
struct DaemonBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the list of the running daemon into a new file, and print its path.",
        discussion: """
            The copy is in the state folder, as of one instant, and only its owner can read
            it. Without a running daemon, copy the state folder itself.
            """)

    @OptionGroup var options: DaemonEndpointOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await DaemonBackup(options).run())
    }
}

/// `haul daemon install`.
struct DaemonInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a systemd user unit that starts the daemon on first use; on macOS, a launchd agent.",
        discussion: "Put the settings of this daemon into its configuration file.")

    @Flag(help: "Print the files, and write nothing.")
    var dryRun = false

    func run() async throws {
        throw ArgumentParser.ExitCode(DaemonInstall(printsOnly: dryRun).run())
    }
}
